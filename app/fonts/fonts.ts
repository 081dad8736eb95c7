import localFont from "next/font/local";

/** Latin subsets only: the console is in English, and names in other scripts use system fonts. */
export const inter = localFont({
	src: "../../node_modules/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2",
	weight: "100 900",
	display: "swap",
	variable: "--font-inter",
	preload: true,
});

export const jetbrainsMono = localFont({
	src: "../../node_modules/@fontsource-variable/jetbrains-mono/files/jetbrains-mono-latin-wght-normal.woff2",
	weight: "100 800",
	display: "swap",
	variable: "--font-jetbrains-mono",
	preload: true,
});
