import NextLink from "next/link";
import type { ComponentProps } from "react";

/**
 * Opens another screen. Never prefetches: screens are rendered for each request, so a prefetch brings nothing to show, and
 * each page would send some thirty.
 */
export function Link(props: ComponentProps<typeof NextLink>) {
	return <NextLink {...props} prefetch={false} />;
}
