import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import path from "node:path";
import Provider from "oidc-provider";
import { freePort } from "../../scripts/lib/ports.mjs";
import { eventually } from "./eventually.ts";
import { databaseUrl, HOME, ROOT } from "./system.ts";

/** The issuer's claims for the people who sign in with these names; any password works there. */
const PEOPLE: Record<string, { name: string; email: string; groups: string[] }> = {
	ann: { name: "Ann Admin", email: "ann@example.test", groups: ["spillway-platform"] },
	bob: { name: "Bob Builder", email: "bob@example.test", groups: ["spillway-team-vision", "unrelated"] },
	mallory: { name: "Mallory", email: "platform@demo.spillway", groups: ["spillway-platform"] },
};
const CLIENT = { id: "spillway", secret: randomBytes(16).toString("hex") };

export interface SsoSystem {
	baseUrl: string;
	stop(): Promise<void>;
}

/** A real OIDC provider, and next to the product under test a second web server outside demo mode that trusts it. */
export async function startSsoSystem(): Promise<SsoSystem> {
	const port = await freePort();
	// This name, because Next uses it for every loopback address that it passes to next-auth.
	const baseUrl = `http://localhost:${port}`;
	const issuerPort = await freePort();
	const issuer = `http://127.0.0.1:${issuerPort}`;
	const provider = new Provider(issuer, {
		clients: [
			{
				client_id: CLIENT.id,
				client_secret: CLIENT.secret,
				redirect_uris: [`${baseUrl}/api/auth/callback/oidc`],
				response_types: ["code"],
				grant_types: ["authorization_code"],
			},
		],
		claims: { openid: ["sub"], profile: ["name"], email: ["email", "email_verified"], groups: ["groups"] },
		scopes: ["openid", "profile", "email", "groups"],
		conformIdTokenClaims: false,
		cookies: { keys: [randomBytes(16).toString("hex")] },
		pkce: { required: () => true },
		findAccount: (_ctx: unknown, id: string) => ({ accountId: id, claims: async () => ({ sub: id, email_verified: true, ...PEOPLE[id] }) }),
	});
	const server = provider.listen(issuerPort, "127.0.0.1");
	const web = startWeb(port, issuer);
	await eventually(
		"the second web server is ready",
		() =>
			fetch(`${baseUrl}/readyz`).then(
				(r) => r.status,
				() => 0,
			),
		(status) => status === 200,
	);
	return {
		baseUrl,
		stop: async () => {
			const gone = new Promise((resolve) => web.once("exit", resolve));
			web.kill("SIGTERM");
			await gone;
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}

function startWeb(port: number, issuer: string): ChildProcess {
	return spawn(process.execPath, [path.join(ROOT, "server/bin/web.ts")], {
		cwd: ROOT,
		stdio: "ignore",
		env: {
			...process.env,
			NODE_ENV: "production",
			SPILLWAY_HOME: HOME,
			SPILLWAY_PORT: String(port),
			SPILLWAY_DEMO: "0",
			SPILLWAY_INSTANCE: "sso",
			SPILLWAY_URL: `http://localhost:${port}`,
			DATABASE_URL: databaseUrl(),
			AUTH_SECRET: randomBytes(32).toString("hex"),
			SPILLWAY_SECRET: randomBytes(32).toString("hex"),
			OIDC_ISSUER: issuer,
			OIDC_CLIENT_ID: CLIENT.id,
			OIDC_CLIENT_SECRET: CLIENT.secret,
		},
	});
}
