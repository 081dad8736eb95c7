import type { NextConfig } from "next";

const basePath = process.env["SPILLWAY_BASE_PATH"] ?? "";

const config: NextConfig = {
	basePath,
	env: { SPILLWAY_BASE_PATH: basePath },
	outputFileTracingRoot: import.meta.dirname,
	turbopack: { root: import.meta.dirname },
	// `npm test` checks the types; a start does not wait for it.
	typescript: { tsconfigPath: "tsconfig.build.json", ignoreBuildErrors: true },
	experimental: {
		// A screen that was rendered ahead for a resting pointer. Changes since then are fetched when it is opened.
		staleTimes: { static: 30 },
		// Its cache of development did not survive restarts of the server (Next 16.4: "task … MustExist").
		turbopackFileSystemCacheForDev: false,
		// A fifth of the build's processor time. Without them, stack traces in the log name the functions.
		turbopackSourceMaps: false,
		turbopackMinify: { server: false },
	},
	poweredByHeader: false,
	serverExternalPackages: ["postgres", "@aws-sdk/client-ec2", "pdfkit"],
	headers: async () => [
		// Pages get theirs with a nonce from proxy.ts. Nothing below /api is a page.
		{ source: "/api/:path*", headers: [{ key: "Content-Security-Policy", value: "default-src 'none'; frame-ancestors 'none'" }] },
		{
			source: "/:path*",
			headers: [
				{ key: "X-Content-Type-Options", value: "nosniff" },
				{ key: "X-Frame-Options", value: "DENY" },
				{ key: "Referrer-Policy", value: "strict-origin-when-cross-origin" },
				{ key: "Permissions-Policy", value: "camera=(), microphone=(), geolocation=()" },
				{ key: "Cross-Origin-Opener-Policy", value: "same-origin" },
			],
		},
	],
};

export default config;
