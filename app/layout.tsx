import "./globals.css";
import type { Metadata, Viewport } from "next";
import { headers } from "next/headers";
import type { ReactNode } from "react";
import { inter, jetbrainsMono } from "#app/fonts/fonts.ts";
import { ChartPatterns } from "#components/charts/patterns.tsx";
import { ThemeProvider } from "#components/shell/theme.tsx";
import { ToastHost } from "#components/ui/toast.tsx";
import { underBase } from "#components/ui/under-base.ts";

export const metadata: Metadata = {
	title: { default: "Spillway", template: "%s · Spillway" },
	manifest: underBase("/manifest.webmanifest"),
	icons: { apple: underBase("/apple-touch-icon.png") },
	description: "Bursts GPU jobs from an owned cluster to clouds under rules that finance can trust.",
};

export const viewport: Viewport = {
	width: "device-width",
	initialScale: 1,
	colorScheme: "light dark",
	themeColor: [
		{ media: "(prefers-color-scheme: light)", color: "#ffffff" },
		{ media: "(prefers-color-scheme: dark)", color: "#12161c" },
	],
};

export default async function RootLayout({ children }: { children: ReactNode }) {
	const nonce = (await headers()).get("x-nonce") ?? undefined;
	return (
		// An inline script sets the theme before hydration, so the server markup differs.
		<html lang="en" className={`${inter.variable} ${jetbrainsMono.variable}`} suppressHydrationWarning>
			<body>
				<ThemeProvider nonce={nonce}>
					{children}
					<ToastHost />
				</ThemeProvider>
				<ChartPatterns />
			</body>
		</html>
	);
}
