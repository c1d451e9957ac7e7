/**
 * With which the service is started, wherever it is. By default V8 has four threads to collect garbage beside the one of the
 * service; where there are fewer processors they keep it and the database waiting, and one does the work as well.
 */
export const nodeFlags = ['--v8-pool-size=1'];
