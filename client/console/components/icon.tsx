/** Line icons, 16 pixels wide, in the colour of the surrounding text. */
const paths = {
  agents:
    'M3 6.5A2.5 2.5 0 0 1 5.5 4h5A2.5 2.5 0 0 1 13 6.5v4a2.5 2.5 0 0 1-2.5 2.5h-5A2.5 2.5 0 0 1 3 10.5zM8 4V1.8M6.2 8v1M9.8 8v1',
  overview: 'M2.5 13.5h11M4.5 11V8M8 11V3.5M11.5 11V6',
  docs: 'M8 4.2C6.5 3 4.5 2.7 2.5 3v9.5c2-.3 4 0 5.5 1.2 1.5-1.2 3.5-1.5 5.5-1.2V3c-2-.3-4 0-5.5 1.2zv9.5',
  webhooks:
    'M6.6 5.6A2.2 2.2 0 1 1 9.9 6L12 9.6M8 4.2 5.6 8.7M4.6 8.4a2.2 2.2 0 1 0 2.1 2.9h3.6M11.2 9.4a2.2 2.2 0 1 1-.6 3.4',
  keys: 'M10.5 9.5a3.5 3.5 0 1 0-3.2-2.1L2.5 12.2v1.6h2v-1.4h1.6v-1.6h1.2l1.2-1.3a3.5 3.5 0 0 0 2 0M11.3 5.4h.1',
  lock: 'M4 7.5h8v6H4zM5.5 7.5V5a2.5 2.5 0 0 1 5 0v2.5',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9m3.3-1.2 3.4 3.4',
  copy: 'M5.5 5.5v-3h8v8h-3m-8-5h8v8h-8z',
  check: 'm3 8.5 3.2 3.2L13 4.9',
  close: 'm4 4 8 8m0-8-8 8',
  refresh: 'M13 8a5 5 0 1 1-1.5-3.6M13 2.5v3h-3',
  sun: 'M8 10.8a2.8 2.8 0 1 0 0-5.6 2.8 2.8 0 0 0 0 5.6M8 1.5v1.2m0 10.6v1.2M1.5 8h1.2m10.6 0h1.2M3.4 3.4l.9.9m7.4 7.4.9.9m0-9.2-.9.9m-7.4 7.4-.9.9',
  moon: 'M13 9.6A5.5 5.5 0 0 1 6.4 3a5.5 5.5 0 1 0 6.6 6.6',
  system: 'M2 3h12v8H2zm4 10.5h4M8 11v2.5',
  signOut: 'M6.5 13.5h-4v-11h4M9.5 11l3-3-3-3m3 3h-7',
  tool: 'm2.5 13.5 5-5m2.7-6a3.3 3.3 0 0 0-2.8 4.7 3.3 3.3 0 0 0 4.6 1.4 3.3 3.3 0 0 0 1.3-4L11.2 6.7 9.3 6.2 8.9 4.400z',
  stop: 'M4.5 4.5h7v7h-7z',
  send: 'm2.5 8 11-5-3.5 11-2.5-4.500zm5 1.5 2.5-2.5',
  warning: 'M8 2.2 14.3 13H1.700zM8 6.500v3m0 1.700v.1',
  back: 'M9.5 3.5 5 8l4.5 4.5',
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}
