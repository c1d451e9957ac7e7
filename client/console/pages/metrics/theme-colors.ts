/** The colours of the theme for a canvas, which cannot use CSS variables. */

export interface ThemeColors {
  accent: string;
  bad: string;
  muted: string;
  line: string;
  text: string;
  transparent: (color: string) => string;
}

export function themeColors(container: Element): ThemeColors {
  const probe = document.createElement('span');
  container.append(probe);
  const resolve = (name: string) => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const colors = {
    accent: resolve('accent'),
    bad: resolve('bad'),
    muted: resolve('muted'),
    line: resolve('line'),
    text: resolve('text'),
    transparent: (color: string) => color.replace('rgb(', 'rgba(').replace(')', ', 0.12)'),
  };
  probe.remove();
  return colors;
}
