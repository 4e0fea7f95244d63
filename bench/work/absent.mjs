/** Thrown by work that cannot be done on this machine: the contender is left out, which is no failure. */
export class Absent extends Error {}
