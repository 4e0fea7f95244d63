/**
 * One vitest project for each backend: they differ in their name and in
 * `PARTITION_LOG_BACKEND` alone, so both always run the same tests.
 */

function forBackend(name: 'native' | 'portable') {
  return {
    extends: true as const,
    test: {
      name,
      env: { PARTITION_LOG_BACKEND: name },
      globalSetup: ['test/support/global-setup.ts'],
    },
  }
}

export const backendProjects = [forBackend('native'), forBackend('portable')]
