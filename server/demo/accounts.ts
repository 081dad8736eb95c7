import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import { hashPassword } from "#server/auth/password.ts";
import { issueToken } from "#server/auth/tokens.ts";
import { account, team } from "#server/db/schema/account.ts";
import { LABELS, type Role } from "#server/domain/vocabulary.ts";
import type { ServiceContext } from "#server/services/context.ts";

export const DEMO_TEAMS = ["forecasting", "genomics", "research", "risk", "vision"];

const PEOPLE: { id: string; name: string; email: string; role: Role; teams: string[] }[] = [
	{ id: "usr_demo_platform", name: "Pia Platform", email: "platform@demo.spillway", role: "platform", teams: DEMO_TEAMS },
	{ id: "usr_demo_scientist", name: "Dana Data", email: "scientist@demo.spillway", role: "data_scientist", teams: ["research", "vision"] },
	{ id: "usr_demo_finance", name: "Finn Finance", email: "finance@demo.spillway", role: "finance", teams: [] },
];

/** Public, because the demo binds to loopback and refuses these accounts elsewhere. */
const PASSWORD = "spillway-demo";

export interface DemoAccount {
	role: string;
	email: string;
	password: string;
}

/** The three demo people, the teams, and a token that acts as the platform engineer. The token of an earlier start is kept. */
export async function seedAccounts(ctx: ServiceContext, home: string): Promise<{ accounts: DemoAccount[]; token: string }> {
	const nowMs = ctx.clock.nowMs();
	await ctx.db
		.insert(team)
		.values(DEMO_TEAMS.map((name) => ({ name })))
		.onConflictDoNothing();
	const passwordHash = await hashPassword(PASSWORD);
	await ctx.db
		.insert(account)
		.values(PEOPLE.map((p) => ({ ...p, demo: true, passwordHash, createdAt: new Date(nowMs) })))
		.onConflictDoNothing();
	const known = readToken(path.join(home, "token"));
	const token = await issueToken(ctx.db, {
		accountId: "usr_demo_platform",
		name: "the demo's token file",
		nowMs,
		token: known ?? `spw_${randomBytes(32).toString("base64url")}`,
	});
	return { accounts: PEOPLE.map((p) => ({ role: LABELS[p.role], email: p.email, password: PASSWORD })), token };
}

function readToken(file: string): string | null {
	try {
		const text = readFileSync(file, "utf8").trim();
		return /^spw_[\w-]{43}$/.test(text) ? text : null;
	} catch {
		return null;
	}
}
