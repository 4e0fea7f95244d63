/** Kafka's answers about settings, from `settings.SettingsMain`. */
import { JavaProcess } from '../support/java-process.js'

export interface Definition {
  readonly name: string
  readonly type: string
  readonly fallback: string | null
}

export type Texts = Readonly<Record<string, string>>
export type Judged<Values> =
  | { readonly values: Values; readonly refused?: undefined }
  | { readonly refused: string }
type KafkaValues = Readonly<Record<string, string | null>>

export class KafkaSettings {
  readonly #java = new JavaProcess('settings.SettingsMain')

  definitions(): Promise<{ readonly topic: readonly Definition[]; readonly broker: readonly Definition[] }> {
    return this.#java.ask({ op: 'definitions' })
  }

  /** A topic's settings, in a cluster with tiered storage. */
  topic(texts: Texts): Promise<Judged<KafkaValues>> {
    return this.#java.ask({ op: 'topic', texts })
  }

  /** A broker's properties: its own values, and what topics get from them. */
  broker(texts: Texts): Promise<Judged<{ readonly own: KafkaValues; readonly topics: KafkaValues }>> {
    return this.#java.ask({ op: 'broker', texts })
  }

  close(): Promise<void> {
    return this.#java.close()
  }
}
