import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addOneOfEach, SECRET, submitWithSecret } from "#server/api/testing/one-of-each.ts";
import { type Person, RestWorld } from "#server/api/testing/rest-world.ts";
import { OPERATIONS } from "#server/contract/operations.ts";
import { account } from "#server/db/schema/account.ts";
import { customRole } from "#server/db/schema/custom-role.ts";
import { decision } from "#server/db/schema/decision.ts";
import { permissionsFor } from "#server/domain/custom-role.ts";
import { GRANTS, type Permission } from "#server/domain/permissions.ts";
import type { Role } from "#server/domain/vocabulary.ts";
import { issueToken } from "#server/services/governance/token/issue.ts";

/**
 * Operation × person × parameter, generated from the contract. An operation without a sample for each parameter fails,
 * so that new operations cannot be forgotten.
 */

const ROLE_OF: Record<Person, Role> = { platform: "platform", scientist: "data_scientist", stranger: "data_scientist", finance: "finance" };
const PEOPLE = Object.keys(ROLE_OF) as Person[];
const OWN_TEAM: Person = "scientist";

let world: RestWorld;
/** Sample values by group and parameter. `team: true`: the entity belongs to the team research. */
let samples: Record<string, Record<string, { value: string; team?: true }>>;

beforeAll(async () => {
	world = await RestWorld.open();
	const { jobId, approvalId, artifactId, pipelineId, triggerId, templateId } = await addOneOfEach(world, OWN_TEAM);
	const job = { id: { value: jobId, team: true as const } };
	const sites = { id: { value: "home" }, siteId: { value: "home" }, poolId: { value: "pool" } };
	const policies = { name: { value: "default" }, version: { value: "1" }, id: { value: "btst_missing" } };
	const month = { month: { value: "2026-01" } };
	samples = {
		...{ job, site: sites, rates: sites, performance: sites, policy: policies, draft: policies, backtest: policies, shadow: policies },
		...{ spend: { id: { value: "chg_missing" } }, budget: { id: { value: "cloud-month" } }, channel: { id: { value: "chan_missing" } } },
		...{
			approval: { id: { value: approvalId, team: true } },
			artifact: { id: { value: artifactId, team: true } },
			store: { id: { value: "sto_matrix" } },
			pipeline: { id: { value: pipelineId, team: true } },
			secret: { team: { value: "research", team: true }, name: { value: "missing" } },
			trigger: { id: { value: triggerId, team: true } },
			template: { id: { value: templateId, team: true } },
			token: { id: { value: "tok_missing" } },
			view: { id: { value: "view_missing" } },
			account: { id: { value: "usr_missing" } },
			team: { name: { value: "no-such-team" } },
			role: { name: { value: "no-such-role" } },
			statement: month,
			plan: { id: { value: "plan_missing" } },
			bill: { ...month, id: { value: "bill_missing" } },
		},
	};
});
afterAll(() => world.close());

/**
 * Operations on a person's own entities, or permitted by a rule or another person's action: 403 for a reason beyond
 * role and team.
 */
const MAY_STILL_BE_FORBIDDEN = new Set(["approval.grant", "approval.refuse", "approval.rejectProposal", "approval.approveProposal"]);

function sampleOf(group: string, id: string, parameter: string): { value: string; team?: true } {
	// Some operations of these groups are about another group's entity.
	const owner = id === "approval.askAgain" || id === "artifact.list" ? "job" : /Proposal$/.test(id) ? "spend" : group;
	const sample = samples[owner]?.[parameter];
	if (!sample) throw new Error(`authorization matrix: add a sample for {${parameter}} of ${id}`);
	return sample;
}

function cell(operation: (typeof OPERATIONS)[number]): { url: string; isTeams: boolean } {
	const [group = ""] = operation.id.split(".");
	let isTeams = false;
	const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => {
		const { value, team } = sampleOf(group, operation.id, name);
		isTeams ||= team === true;
		return value;
	});
	// Without a team, a statement is the company's, which only roles for all teams may read.
	const query = operation.id === "statement.get" ? "?team=research" : "";
	isTeams ||= query !== "";
	return { url: `/api/v1${path}${query}`, isTeams };
}

/** Rejections first, so that permitted calls that change something come last. */
describe("operation × person × parameter", () => {
	it.each(OPERATIONS.map((o) => [o.id, o] as const))("%s rejects by role before it reads the body", async (_, operation) => {
		const { url } = cell(operation);
		const refused = PEOPLE.filter((p) => GRANTS[ROLE_OF[p]][operation.permission] === undefined);
		for (const as of refused) {
			const body = operation.method === "GET" ? {} : { body: "{ not json" };
			expect(await world.call(operation.method, url, { as, ...body }), `${as}`).toMatchObject({ status: 403, json: { code: "forbidden" } });
		}
		expect((await world.call(operation.method, url, { as: null })).status).toBe(401);
	});

	it.each(OPERATIONS.map((o) => [o.id, o] as const))("%s reports another team's entity as missing", async (_, operation) => {
		const { url, isTeams } = cell(operation);
		// A team named in the query is not an entity: the caller provided the name, and the response is 403.
		if (!isTeams || url.includes("?") || GRANTS.data_scientist[operation.permission] !== "own") return;
		const answer = await world.call(operation.method, url, { as: "stranger", ...(operation.method === "GET" ? {} : { body: {} }) });
		expect(answer).toMatchObject({ status: 404, json: { code: "not_found" } });
		const missing = url.replace(/(job|appr|art)_[^/]+/, (id) => `${id.slice(0, -3)}zzz`);
		const unknown = await world.call(operation.method, missing, { as: "stranger", ...(operation.method === "GET" ? {} : { body: {} }) });
		const text = (json: { detail: string }) => json.detail.replace(/(job|appr|art)_\w+/g, "ID");
		expect(text(answer.json)).toBe(text(unknown.json));
	});

	it.each(OPERATIONS.filter((o) => o.method === "GET").map((o) => [o.id, o] as const))(
		"%s works for those who may read it",
		async (_, operation) => {
			const { url, isTeams } = cell(operation);
			for (const as of PEOPLE) {
				const grant = GRANTS[ROLE_OF[as]][operation.permission];
				if (grant === undefined || (grant === "own" && isTeams && as !== OWN_TEAM)) continue;
				const answer = await world.call("GET", url, { as });
				expect([401, 403], `${as}: ${answer.text.slice(0, 200)}`).not.toContain(answer.status);
				expect(answer.json?.code, answer.text.slice(0, 200)).not.toBe("internal");
				const maySeeValues = GRANTS[ROLE_OF[as]]["job:submit"] === "all" || as === OWN_TEAM;
				if (!maySeeValues) expect(answer.text).not.toContain(SECRET);
			}
		},
	);

	it.each(OPERATIONS.filter((o) => o.method !== "GET").map((o) => [o.id, o] as const))(
		"%s is open to those with the permission",
		async (_, operation) => {
			const { url, isTeams } = cell(operation);
			for (const as of PEOPLE) {
				const grant = GRANTS[ROLE_OF[as]][operation.permission];
				if (grant === undefined || MAY_STILL_BE_FORBIDDEN.has(operation.id)) continue;
				if (grant === "own" && isTeams && as !== OWN_TEAM) continue;
				const { status, text } = await world.call(operation.method, url, { as, body: {} });
				expect([401, 403], `${as}: ${text.slice(0, 200)}`).not.toContain(status);
			}
		},
	);
});

describe("custom roles", () => {
	/** A token of an account with this part of the platform role. */
	async function tokenWith(name: string, permissions: readonly Permission[]): Promise<string> {
		const { db } = world.database;
		const at = new Date(world.nowMs());
		await db.insert(customRole).values({ name, base: "platform", permissions: [...permissions], createdAt: at });
		const id = `usr_${name}`;
		await db.insert(account).values({ id, email: `${id}@example.test`, name, role: "platform", customRole: name, createdAt: at });
		return (await issueToken(db, { accountId: id, name: "test", nowMs: world.nowMs() })).token;
	}

	it("without an operation's permission, every operation of it is rejected before the body is read", async () => {
		const possible = permissionsFor("platform");
		for (const [permission, operations] of Map.groupBy(OPERATIONS, (o) => o.permission)) {
			const token = await tokenWith(
				`without-${permission.replace(":", "-")}`,
				possible.filter((p) => p !== permission),
			);
			for (const operation of operations) {
				const body = operation.method === "GET" ? {} : { body: "{ not json" };
				expect(await world.call(operation.method, cell(operation).url, { token, ...body }), operation.id).toMatchObject({
					...{ status: 403, json: { code: "forbidden", detail: expect.stringContaining(`lacks the permission ${permission}`) } },
				});
			}
		}
	});

	it("with the permission, an operation answers as it does for the base role", async () => {
		const token = await tokenWith("everything", permissionsFor("platform"));
		for (const operation of OPERATIONS.filter((o) => o.permission !== "account:manage")) {
			const { url } = cell(operation);
			if (operation.method === "GET")
				expect((await world.call("GET", url, { token })).status, url).toBe((await world.call("GET", url)).status);
			else if (!MAY_STILL_BE_FORBIDDEN.has(operation.id))
				expect((await world.call(operation.method, url, { token, body: "{ not json" })).status, operation.id).not.toBe(403);
		}
	});
});

it("finance reads a job with the names of its variables, not their values", async () => {
	const id = await submitWithSecret(world, "scientist");
	expect((await world.get(`/jobs/${id}`, { as: "finance" })).json.spec.env).toEqual({ API_KEY: "••••••" });
	expect((await world.get(`/jobs/${id}`, { as: "scientist" })).json.spec.env).toEqual({ API_KEY: SECRET });
	expect(await world.database.db.$count(decision, eq(decision.jobId, id))).toBe(0);
});
