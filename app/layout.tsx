import "./globals.css";
import type { Metadata, Viewport } from "next";
import type { ReactNode } from "react";
import { inter, jetbrainsMono } from "#app/fonts/fonts.ts";
import { ChartPatterns } from "#components/charts/patterns.tsx";
import { ThemeProvider } from "#components/shell/theme.tsx";
import { ToastHost } from "#components/ui/toast.tsx";

export const metadata: Metadata = {
	title: { default: "Spillway", template: "%s · Spillway" },
	description: "Lets an owned GPU cluster spill over into the cloud, under rules that finance can trust.",
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

export default function RootLayout({ children }: { children: ReactNode }) {
	return (
		// The theme's class is written by an inline script before hydration, so the server cannot know it.
		<html lang="en" className={`${inter.variable} ${jetbrainsMono.variable}`} suppressHydrationWarning>
			<body>
				<ThemeProvider>
					{children}
					<ToastHost />
				</ThemeProvider>
				<ChartPatterns />
			</body>
		</html>
	);
}
