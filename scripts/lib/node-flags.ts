/**
 * The Node flags of the service. By default V8 uses four garbage collection threads, which delay the service and the database on
 * machines with few cores; one is enough. The other two keep the memory under load low: Node 24 has a young generation of more than
 * 16 MB, and V8 lets old garbage grow to several times what is in use.
 */
export const nodeFlags = [
  '--v8-pool-size=1',
  '--max-semi-space-size=16',
  '--heap-growing-percent=50',
];
