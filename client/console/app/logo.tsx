/** The picture that the page has as its icon. */
const address = document.querySelector<HTMLLinkElement>('link[rel=icon]')?.href;

export function Logo() {
  return <img src={address} alt="" width="24" height="24" />;
}
