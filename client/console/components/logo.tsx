/** The logo, which is also the icon of the page. */
const address = document.querySelector<HTMLLinkElement>('link[rel=icon]')?.href;

export function Logo({ size = 24 }: { size?: number }) {
  return <img src={address} alt="" width={size} height={size} />;
}
