import type { NextConfig } from "next";

/**
 * Next writes its own inline scripts and styles into each page, so 'unsafe-inline' stays; everything else comes from this
 * origin alone. No upgrade to https: the demo listens on loopback without it.
 */
const CONTENT_SECURITY_POLICY = [
	"default-src 'self'",
	"script-src 'self' 'unsafe-inline'",
	"style-src 'self' 'unsafe-inline'",
	"img-src 'self' data: blob:",
	"font-src 'self' data:",
	"connect-src 'self'",
	"object-src 'none'",
	"base-uri 'self'",
	// A sign-in form may lead on to the company's identity provider.
	"form-action 'self' https:",
	"frame-ancestors 'none'",
].join("; ");

const config: NextConfig = {
	outputFileTracingRoot: import.meta.dirname,
	turbopack: { root: import.meta.dirname },
	// What the pages need, and nothing else: tests and tools have their own check in `npm test`.
	typescript: { tsconfigPath: "tsconfig.build.json" },
	poweredByHeader: false,
	serverExternalPackages: ["postgres", "@aws-sdk/client-ec2", "pdfkit"],
	headers: async () => [
		{
			source: "/:path*",
			headers: [
				{ key: "Content-Security-Policy", value: CONTENT_SECURITY_POLICY },
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
