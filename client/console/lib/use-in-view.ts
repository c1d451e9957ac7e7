/** Whether an element has come into view: what nobody sees is not read. */
import { useEffect, useRef, useState } from 'preact/hooks';

export function useInView<Target extends Element>() {
  const element = useRef<Target>(null);
  const [isInView, setInView] = useState(false);
  useEffect(() => {
    if (!element.current) return undefined;
    const observer = new IntersectionObserver(
      (changes) => {
        setInView(changes.some(({ isIntersecting }) => isIntersecting));
      },
      { rootMargin: '200px' },
    );
    observer.observe(element.current);
    return () => {
      observer.disconnect();
    };
  }, []);
  return { element, isInView };
}
