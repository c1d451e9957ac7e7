/** Uses a core until its parent ends or five minutes have passed. */
const end = Date.now() + 300_000;

function spin() {
  const pause = Date.now() + 50;
  while (Date.now() < pause);
  if (Date.now() < end) setImmediate(spin);
  else process.exit();
}

process.once('disconnect', () => process.exit());
spin();
