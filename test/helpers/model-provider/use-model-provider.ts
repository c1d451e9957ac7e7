/** Model providers as fixtures: a test fails if the service sends a request that a real provider would reject. */
import { afterEach } from '@jest/globals';
import { useFixture } from '../service/fixture.js';
import { type ModelProvider, startModelProvider } from './provider.js';
import type { ProviderSettings } from './settings.js';

/** A provider for the tests of the file. */
export function useModelProvider(options: Partial<ProviderSettings> = {}): ModelProvider {
  const provider = useFixture(
    () => startModelProvider(options),
    (started) => started.stop(),
  );
  checkAfterEachTest(() => provider);
  return provider;
}

/** For a provider that another fixture starts. */
export function checkAfterEachTest(provider: () => ModelProvider): void {
  afterEach(() => {
    provider().endTest();
  });
}
