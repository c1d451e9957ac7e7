/** The tabs of an agent's page. */
export const tabs = [
  { path: 'chat', title: 'Chat', key: 'c' },
  { path: 'deployments', title: 'Deployments', key: 'd' },
  { path: 'logs', title: 'Logs', key: 'l' },
  { path: 'metrics', title: 'Metrics', key: 'm' },
  { path: 'memory', title: 'Memory', key: 'y' },
  { path: 'settings', title: 'Settings', key: 's' },
] as const;

export type TabPath = (typeof tabs)[number]['path'];
