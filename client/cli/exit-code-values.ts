/** The exit codes, in a file without imports because the operator's command line uses them too. */
export const exitCodes = {
  success: 0,
  failure: 1,
  usage: 2,
  denied: 3,
  notFound: 4,
  conflict: 5,
  unavailable: 6,
  undecided: 7,
  hangUp: 129,
  interrupted: 130,
  terminated: 143,
} as const;
