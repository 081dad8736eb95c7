"use client";
import { ThemeProvider as NextThemes } from "next-themes";
import type { ReactNode } from "react";

/** `nonce`: of the page's content security policy, for the script that sets the theme before the first paint. */
export function ThemeProvider({ children, nonce }: { children: ReactNode; nonce: string | undefined }) {
	return (
		// An attribute, because next-themes sets it again on mount: the same class, removed and added, restyles the whole page. So
		// would disableTransitionOnChange.
		<NextThemes attribute="data-theme" defaultTheme="system" enableSystem {...(nonce === undefined ? {} : { nonce })}>
			{children}
		</NextThemes>
	);
}
