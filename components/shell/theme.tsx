"use client";
import { ThemeProvider as NextThemes } from "next-themes";
import type { ReactNode } from "react";

/** `nonce`: of the page's content security policy, for the script that sets the theme before the first paint. */
export function ThemeProvider({ children, nonce }: { children: ReactNode; nonce: string | undefined }) {
	return (
		<NextThemes attribute="class" defaultTheme="system" enableSystem disableTransitionOnChange {...(nonce === undefined ? {} : { nonce })}>
			{children}
		</NextThemes>
	);
}
