import { once } from "node:events";
import type { Server } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { AuthConfig } from "@auth/core";
import { eq } from "drizzle-orm";
import { OAuth2Server } from "oauth2-mock-server";
import Provider from "oidc-provider";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { account, identity } from "#server/db/schema/account.ts";
import { createTestDatabase, type TestDatabase } from "#server/db/testing/database.ts";
import { groupMapSchema } from "#server/domain/group-map.ts";
import { env } from "#server/env.ts";
import { createAuthConfig } from "./auth-config.ts";
import { Browser } from "./testing/browser.ts";

const APP = "http://localhost:3999";
const GROUP_MAP = groupMapSchema.parse({ roles: { "0c1d": "finance" }, teams: { "77aa": "research" } });
/** Both issuers' claims for a person, by login. */
const PEOPLE: Record<string, Record<string, unknown>> = {
	ann: { email: "ann@example.test", email_verified: true, name: "Ann", groups: ["0c1d"] },
	bob: { email: "bob@example.test", email_verified: false, name: "Bob", groups: ["77aa"] },
	cat: { email: "cat@example.test", email_verified: true, name: "Cat", groups: ["unmapped"] },
	ci: { email: "ci@example.test", email_verified: true, name: "Mallory", groups: ["0c1d"] },
	dee: { email: "dee@example.test", email_verified: true, name: "Dee", groups: ["77aa"] },
};

interface Issuer {
	url: string;
	/** The next person to sign in, if the issuer has no login form. */
	next(login: string): void;
	close(): Promise<void>;
}

/** oidc-provider with its defaults: scope claims are only at the userinfo endpoint. */
async function startOidcProvider(): Promise<Issuer> {
	const server: Server = createServer();
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	const provider = new Provider(url, {
		clients: [
			{
				...{ client_id: "spillway", client_secret: "secret", redirect_uris: [`${APP}/api/auth/callback/oidc`] },
				...{ response_types: ["code" as const], grant_types: ["authorization_code"] },
			},
		],
		claims: { openid: ["sub"], profile: ["name"], email: ["email", "email_verified"], groups: ["groups"] },
		scopes: ["openid", "profile", "email", "groups"],
		cookies: { keys: ["test"] },
		findAccount: (_ctx: unknown, id: string) => ({ accountId: id, claims: async () => ({ sub: id, ...PEOPLE[id] }) }),
	});
	server.on("request", provider.callback());
	return {
		url,
		next: () => undefined,
		close: async () => {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}

/** oauth2-mock-server: claims are in the ID token. */
async function startMockServer(): Promise<Issuer> {
	const server = new OAuth2Server();
	await server.issuer.keys.generate("RS256");
	await server.start(0, "127.0.0.1");
	let login = "";
	const put = (into: Record<string, unknown>) => Object.assign(into, { sub: login, ...PEOPLE[login] });
	server.service.on("beforeTokenSigning", (token: { payload: Record<string, unknown> }) => put(token.payload));
	server.service.on("beforeUserinfo", (answer: { body: Record<string, unknown> }) => put(answer.body));
	return {
		url: server.issuer.url ?? "",
		next: (name) => {
			login = name;
		},
		close: () => server.stop(),
	};
}

describe.each([
	["oidc-provider", startOidcProvider, ""],
	["oauth2-mock-server", startMockServer, "/tools/spillway"],
] as const)("single sign-on with %s", (_, start, base) => {
	let issuer: Issuer;
	let database: TestDatabase;
	let config: AuthConfig;
	beforeAll(async () => {
		issuer = await start();
		database = await createTestDatabase();
		const settings = {
			SPILLWAY_URL: `${APP}${base}`,
			OIDC_ISSUER: issuer.url,
			OIDC_CLIENT_ID: "spillway",
			OIDC_CLIENT_SECRET: "secret",
			OIDC_GROUP_MAP: GROUP_MAP,
		};
		const rt = {
			env: { ...env(), ...settings },
			connection: database,
			clock: { nowMs: () => Date.now() },
			source: async () => "192.0.2.1",
		};
		config = { ...createAuthConfig(rt), logger: { error: () => undefined } };
		await database.db.insert(account).values([
			{ id: "ci", email: "ci@example.test", name: "CI", role: "data_scientist", service: true, createdAt: new Date() },
			{ id: "dee", email: "dee@example.test", name: "Dee", role: "platform", createdAt: new Date() },
		]);
	});
	afterAll(async () => {
		await issuer.close();
		await database.drop();
	});

	async function signIn(login: string): Promise<{ browser: Browser; at: URL }> {
		const browser = new Browser(`${APP}${base}`, config);
		issuer.next(login);
		return { browser, at: await browser.signIn(login) };
	}

	it("creates an account by issuer and subject, with the role of a group id", async () => {
		const { browser, at } = await signIn("ann");
		expect(at.href).toBe(`${APP}${base}/jobs`);
		const [row] = await database.db.select().from(identity).where(eq(identity.subject, "ann"));
		expect(row).toMatchObject({ issuer: issuer.url, email: "ann@example.test", linkedBy: null });
		expect(await browser.session()).toMatchObject({ user: { id: row?.accountId, epoch: 0 } });
		const again = await signIn("ann");
		expect(await again.browser.session()).toMatchObject({ user: { id: row?.accountId } });
	});

	it.each([
		["bob", "email_unverified"],
		["cat", "no_group"],
		["ci", "not_a_person"],
		["dee", "needs_approval"],
	])("rejects %s with %s, without a session", async (login, code) => {
		const before = await database.db.select().from(account).orderBy(account.id);
		const { browser, at } = await signIn(login);
		expect(at.pathname + at.search).toBe(`${base}/sign-in?error=AccessDenied&code=${code}`);
		expect([...browser.cookies().keys()].filter((name) => name.includes("session"))).toEqual([]);
		expect(await database.db.select().from(account).orderBy(account.id)).toEqual(before);
	});

	it("links an invited person", async () => {
		await database.db
			.update(account)
			.set({ invitedUntil: new Date(Date.now() + 60_000) })
			.where(eq(account.id, "dee"));
		const { browser, at } = await signIn("dee");
		expect(at.href).toBe(`${APP}${base}/jobs`);
		expect(await browser.session()).toMatchObject({ user: { id: "dee", epoch: 1 } });
	});
});
