import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import { eq } from "drizzle-orm";
import { z } from "zod";
import { account, team } from "#server/db/schema/account.ts";
import { LABELS, type Role } from "#server/domain/vocabulary.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { hashPassword } from "#server/services/governance/sign-in/password.ts";
import { issueToken } from "#server/services/governance/token/issue.ts";

/** In SPILLWAY_HOME, with mode 0600. */
export const DEMO_ACCOUNTS_FILE = "demo-accounts.json";

export const DEMO_TEAMS = ["forecasting", "genomics", "research", "risk", "vision"];
/** The company's other teams. */
export const COMPANY_TEAMS = ["foundation", "robotics", "speech"];

const PEOPLE: { id: string; name: string; email: string; role: Role; teams: string[] }[] = [
	{ id: "usr_demo_platform", name: "Pia Platform", email: "platform@demo.spillway", role: "platform", teams: DEMO_TEAMS },
	{ id: "usr_demo_scientist", name: "Dana Data", email: "scientist@demo.spillway", role: "data_scientist", teams: ["research", "vision"] },
	{ id: "usr_demo_finance", name: "Finn Finance", email: "finance@demo.spillway", role: "finance", teams: [] },
];

export interface DemoAccount {
	role: string;
	email: string;
	password: string;
}

const PASSWORD_BYTES = 9;

/**
 * The three demo people, the teams, and a token of the platform engineer. Password and token are generated at the
 * first start and kept; `password` sets a fixed one.
 */
export async function seedAccounts(
	ctx: ServiceContext,
	home: string,
	password = readPassword(path.join(home, DEMO_ACCOUNTS_FILE)) ?? randomBytes(PASSWORD_BYTES).toString("base64url"),
): Promise<{ accounts: DemoAccount[]; token: string }> {
	const nowMs = ctx.clock.nowMs();
	await ctx.db
		.insert(team)
		.values(DEMO_TEAMS.map((name) => ({ name })))
		.onConflictDoNothing();
	const passwordHash = await hashPassword(password);
	await ctx.db
		.insert(account)
		.values(PEOPLE.map((p) => ({ ...p, demo: true, passwordHash, createdAt: new Date(nowMs) })))
		.onConflictDoUpdate({ target: account.id, set: { passwordHash }, setWhere: eq(account.demo, true) });
	const known = readToken(path.join(home, "token"));
	const { token } = await issueToken(ctx.db, {
		accountId: "usr_demo_platform",
		name: "the demo's token file",
		nowMs,
		token: known ?? `spw_${randomBytes(32).toString("base64url")}`,
	});
	return { accounts: PEOPLE.map((p) => ({ role: LABELS[p.role], email: p.email, password })), token };
}

/** Earlier versions used the same password for every installation; replace it. */
const FORMER_PASSWORD = "spillway-demo";

function readPassword(file: string): string | null {
	try {
		const [first] = z.array(z.object({ password: z.string().min(8) })).parse(JSON.parse(readFileSync(file, "utf8")));
		return first === undefined || first.password === FORMER_PASSWORD ? null : first.password;
	} catch {
		return null;
	}
}

function readToken(file: string): string | null {
	try {
		const text = readFileSync(file, "utf8").trim();
		return /^spw_[\w-]{43}$/.test(text) ? text : null;
	} catch {
		return null;
	}
}
