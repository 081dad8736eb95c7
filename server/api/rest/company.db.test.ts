import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Ran, runCommand } from "#cli/testing/run-command.ts";
import { RestWorld } from "#server/api/testing/rest-world.ts";
import { account, identity } from "#server/db/schema/account.ts";
import { audit } from "#server/db/schema/audit.ts";
import { scimGroup, scimMember, scimUser } from "#server/db/schema/scim.ts";
import { awsSiteKind } from "#server/providers/aws/site-kind.ts";
import { slurmSiteKind } from "#server/providers/slurm/site-kind.ts";
import { RcloneStores } from "#server/providers/stores/rclone-stores.ts";
import { CredentialKeys } from "#server/services/capacity/site/credential-keys.ts";

const PAGE = path.resolve(import.meta.dirname, "../../../docs/company-file.md");
const EXAMPLE = /## Example\n\n```yaml\n([\s\S]*?)```/.exec(readFileSync(PAGE, "utf8"))?.[1] ?? "";
const KEY = JSON.stringify({ accessKeyId: "AKIAEXAMPLE", secretAccessKey: "very-secret-key" });
const STORE_KEY = JSON.stringify({ accessKeyId: "AKIASTORE", secretAccessKey: "hidden-store-key" });
const SECRETS = {
	...{ "env:AWS_CREDENTIALS": KEY, "env:STORE_CREDENTIALS": STORE_KEY },
	"file:chat-webhook.txt": "https://chat.example.com/hook/s3cret",
};

let world: RestWorld;
let folder: string;
let file: string;

beforeAll(async () => {
	folder = mkdtempSync(path.join(os.tmpdir(), "spillway-company-"));
	file = path.join(folder, "company.yaml");
	writeFileSync(path.join(folder, "chat-webhook.txt"), "https://chat.example.com/hook/s3cret\n");
	const kinds = [awsSiteKind({ listPrices: () => [], controlUrl: "http://127.0.0.1:3000" }), slurmSiteKind()];
	world = await RestWorld.open({
		siteTools: { kinds, keys: new CredentialKeys({ home: folder }), leastRights: () => [] },
		storePort: new RcloneStores(() => Promise.reject(new Error("Applying a file must not open a store."))),
	});
});
afterAll(async () => {
	await world.close();
	rmSync(folder, { recursive: true, force: true });
});

function apply(text: string, ...args: string[]): Promise<Ran> {
	writeFileSync(file, text);
	const given = { SPILLWAY_TOKEN: world.tokens.platform, SPILLWAY_URL: world.url, AWS_CREDENTIALS: KEY, STORE_CREDENTIALS: STORE_KEY };
	return runCommand(["apply", "-f", "company.yaml", ...args], { cwd: folder, env: given });
}

const plan = (text: string, more: object = {}) =>
	world.post("/company/plan", {
		text,
		secrets: SECRETS,
		...more,
	});
const file_ = (spec: string) => `apiVersion: spillway/v1\nkind: Company\nspec:\n${spec}`;

it("applies the documented example, and changes nothing the second time", async () => {
	expect((await world.post("/company/plan", { text: EXAMPLE }, { as: "finance" })).status).toBe(403);
	const dry = await apply(EXAMPLE, "--dry-run");
	expect(dry).toMatchObject({ code: 5, out: expect.stringContaining('+ person ada@example.com\n    name: "Ada Lovelace"') });
	expect((await world.get("/accounts")).text).not.toContain("ada@example.com");
	expect(await apply(EXAMPLE)).toMatchObject({ code: 2, err: expect.stringContaining("Give --yes") });
	const first = await apply(EXAMPLE, "--yes");
	expect(first).toMatchObject({ code: 0, out: expect.stringMatching(/\n1[67] changes applied\.\n$/) });
	expect(first.out).toContain("skipped: rate card of lab/gpu-h100x8: the pool is not in use yet");
	expect(`${first.out}${dry.out}`).not.toMatch(/very-secret-key|s3cret|hidden-store-key/);
	const teams = (await world.get("/teams")).json.items;
	expect(teams).toContainEqual({ name: "vision", title: "Computer Vision", costCenter: "4712", parent: "research", members: 4 });
	const people = (await world.get("/accounts")).json.items;
	expect(people).toContainEqual(
		expect.objectContaining({ email: "alan@example.com", role: "data_scientist", teams: ["research", "vision"] }),
	);
	expect((await world.get("/group-mappings")).json.mappings).toContainEqual({
		...{ group: "ml-engineers", role: "data_scientist", customRole: null, team: "research", source: "settings" },
	});
	expect((await world.get("/policies/default")).json.source).toContain("# Jobs on sensitive data stay at home.");
	expect((await world.get("/channels")).json.items).toMatchObject([{ name: "Chat", target: "chat.example.com" }, { name: "Finance" }]);
	expect((await world.get("/sites/aws-main")).json).toMatchObject({ provider: "aws", credentials: { source: { kind: "stored" } } });
	const entries = (await world.database.db.select().from(audit)).length;
	expect(await apply(EXAMPLE, "--yes")).toMatchObject({ code: 0, out: expect.stringContaining("No changes.\n") });
	expect(await apply(EXAMPLE, "--dry-run")).toMatchObject({ code: 0 });
	expect((await world.database.db.select().from(audit)).length).toBe(entries);
	const [line] = await world.database.db.select().from(audit).where(eq(audit.action, "company.apply"));
	expect(JSON.stringify(line)).not.toMatch(/very-secret-key|s3cret|hidden-store-key/);
	expect(line?.actor).toBe("account:usr_platform");
});

it("shows and applies edits, including secrets", async () => {
	const edited = EXAMPLE.replace("capUsd: 5000", "capUsd: 7000").replace(
		"name: Grace Hopper, role: finance",
		"name: Grace Hopper, role: platform",
	);
	const { json } = await plan(edited, {
		secrets: { ...SECRETS, "env:AWS_CREDENTIALS": KEY.replace("very", "other"), "file:chat-webhook.txt": "https://chat.example.com/new" },
	});
	expect(json.changes).toMatchObject([
		{ kind: "person", id: "grace@example.com", fields: [{ field: "role", before: '"finance"', after: '"platform"' }] },
		{ kind: "site", id: "aws-main", fields: [{ field: "credentials", before: "(secret)", after: "(secret)" }] },
		{ kind: "policy", action: "update" },
		{ kind: "channel", id: "Chat", fields: [{ field: "url", after: "(secret), changed" }] },
	]);
	const done = await apply(edited, "--yes");
	expect(done.out).toContain("capUsd: 7000");
	expect(await apply(edited, "--yes")).toMatchObject({ out: expect.stringContaining("No changes.\n") });
});

it("removes only with --prune, within the file's sections", async () => {
	// An administrator who can sign in must remain.
	await world.database.db.update(account).set({ passwordHash: "scrypt$x$y" }).where(eq(account.id, "usr_platform"));
	const text = file_(
		"  channels:\n    - { name: Finance, kind: email, recipients: [finance@example.com] }\n  people:\n    - { email: ada@example.com, name: Ada Lovelace, role: platform }\n",
	);
	const kept = (await plan(text)).json.changes as { action: string }[];
	expect(kept.filter(({ action }) => action === "remove")).toEqual([]);
	const pruned = (await plan(text, { prune: true })).json.changes as { action: string; kind: string; id: string }[];
	const removed = pruned.filter(({ action }) => action === "remove").map(({ kind, id }) => `${kind} ${id}`);
	expect(removed).toEqual(expect.arrayContaining(["person alan@example.com", "channel Chat"]));
	expect(removed.filter((one) => /^(team|site)|platform@example\.test/.test(one))).toEqual([]);
	expect((await apply(text, "--yes", "--prune")).code).toBe(0);
	const alan = await world.database.db.select().from(account).where(eq(account.email, "alan@example.com"));
	expect(alan[0]?.disabledAt).not.toBeNull();
});

it("applies all changes or none", async () => {
	const text = file_("  teams:\n    - { name: brand-new }\n");
	expect(await apply(text, "--yes", "--prune")).toMatchObject({ code: 5, err: expect.stringMatching(/Team \w+ has/) });
	expect((await world.get("/teams")).text).not.toContain("brand-new");
	const { json } = await plan(text);
	await world.post("/teams", { name: "meanwhile" });
	expect((await world.post("/company/apply", { text: file_("  teams:\n    - { name: other }\n"), hash: json.hash })).status).toBe(412);
});

it("reports unknown names at line and column", async () => {
	const people = file_("  people:\n    - { email: x@example.com, name: X, role: finance, teams: [ghosts] }\n");
	const site = file_("  sites:\n    - id: cloud-a\n      provider: aws\n      settings: { regions: [us-east-1], imageID: ami-1 }\n");
	expect((await plan(site)).json.fields).toContainEqual(expect.objectContaining({ line: 7, path: "spec.sites.0.settings.imageID" }));
	expect((await plan(people)).json.fields).toMatchObject([
		{ line: 5, path: "spec.people.0.teams.0", message: expect.stringContaining("ghosts") },
	]);
	const policy = file_("  policy:\n    rules:\n      - id: a\n        when: job.klass == 1\n        deny: { sites: [cloud] }\n");
	const wrong = await apply(policy, "--yes");
	expect(wrong).toMatchObject({ code: 2, err: expect.stringMatching(/^company\.yaml:7:\d+: spec\.policy: /) });
	expect(await apply(file_("  teams:\n    - { nam: x }\n"))).toMatchObject({
		code: 2,
		err: expect.stringContaining("company.yaml:5:9: spec.teams.0.nam"),
	});
	expect((await world.post("/company/plan", { text: EXAMPLE, secrets: {} })).json.fields).toMatchObject([
		{ path: "spec.sites.0.credentials" },
		{ path: "spec.stores.0.credentials" },
		{ path: "spec.channels.1.url" },
	]);
});

it("leaves role and teams of people from the identity provider alone", async () => {
	const { db } = world.database;
	const [grace] = await db.select().from(account).where(eq(account.email, "grace@example.com"));
	const at = new Date(world.nowMs());
	await db.update(account).set({ disabledAt: null }).where(eq(account.email, "grace@example.com"));
	await db.insert(identity).values({
		...{ issuer: "https://id.test", subject: "g", id: "idn_g", accountId: grace?.id ?? "", email: "grace@example.com" },
		...{ createdAt: at, linkedAt: at },
	});
	const { json } = await plan(file_("  people:\n    - { email: grace@example.com, name: Grace Hopper, role: finance }\n"));
	expect(json).toMatchObject({ changes: [], skipped: ["grace@example.com: role comes from the identity provider's groups"] });
});

it("applies groups to SCIM members and removes them with --prune; the command sets, checks and removes them", async () => {
	const { db } = world.database;
	const [alan] = await db.select().from(account).where(eq(account.email, "alan@example.com"));
	const at = new Date(world.nowMs());
	const id = alan?.id ?? "";
	await db.insert(scimUser).values({ accountId: id, userName: "alan@example.com", createdAt: at });
	await db.insert(scimGroup).values({ id: "grp_ml", displayName: "ML people", createdAt: at });
	await db.insert(scimMember).values({ groupId: "grp_ml", accountId: id });
	const text = (team: string) =>
		file_(
			`  groups:\n    - { group: ML people, role: finance, team: ${team} }\n  people:\n    - { email: alan@example.com, name: Alan Turing, role: data_scientist, teams: [research] }\n`,
		);
	expect((await plan(text("ghosts"))).json.fields).toMatchObject([
		{ path: "spec.groups.0.team", message: expect.stringContaining("ghosts") },
	]);
	expect(await apply(file_("  groups:\n    - { group: nothing }\n"))).toMatchObject({
		...{ code: 2, err: expect.stringContaining("company.yaml:5:16: spec.groups.0.group: needs a role, a team or both") },
	});
	const first = await apply(text("vision"), "--yes");
	expect(first).toMatchObject({ code: 0, out: expect.stringContaining('+ group ML people\n    role: "finance"\n    team: "vision"') });
	expect(first.out).toContain("skipped: alan@example.com: teams comes from the identity provider's groups");
	const alanNow = async () => (await db.select().from(account).where(eq(account.id, id)))[0];
	expect(await alanNow()).toMatchObject({ role: "finance", teams: ["vision"] });
	expect(await apply(text("vision"), "--yes")).toMatchObject({ code: 0, out: expect.stringMatching(/\nNo changes\.\n$/) });

	const groups = (...args: string[]) =>
		runCommand(["groups", ...args], { cwd: folder, env: { SPILLWAY_TOKEN: world.tokens.platform, SPILLWAY_URL: world.url } });
	expect(await groups("set", "ML people", "--team", "research")).toMatchObject({ code: 0 });
	expect((await groups("ls")).out).toMatch(/ML people +\S+ +research +settings\n[\s\S]*spillway-finance +finance +\S+ +OIDC_GROUP_MAP\n/);
	expect((await groups("check", "ML people", "other")).out).toBe("Role: data_scientist. Teams: research.\nNot mapped: other.\n");
	expect(await groups("set", "ML people")).toMatchObject({ code: 2, err: expect.stringContaining("Give --role, --team or both.") });
	expect(await groups("rm", "other")).toMatchObject({ code: 3 });
	// Changed by the command since: shown as drift.
	expect(await apply(text("vision"), "--dry-run")).toMatchObject({ code: 5, out: expect.stringContaining('team: "research" -> "vision"') });

	const others = file_("  groups:\n    - { group: ml-engineers, role: data_scientist, team: research }\n");
	expect(await apply(others, "--yes")).toMatchObject({ out: "No changes.\n" });
	expect(await apply(others, "--yes", "--prune")).toMatchObject({ code: 0, out: expect.stringContaining("- group ML people") });
	expect(await alanNow()).toMatchObject({ role: "data_scientist", teams: [] });
	expect((await groups("ls")).out).toContain("Seen by SCIM, not mapped: ML people");
});

it("applies templates: a new version when the content changes, removal with --prune, problems with their position", async () => {
	const text = (command: string, team = "research") =>
		file_(
			`  templates:\n    - name: nightly\n      document:\n        apiVersion: spillway/v1\n        kind: Job\n        metadata: { name: run, team: ${team} }\n        spec: { command: [${command}], duration: { estimate: 1h } }\n`,
		);
	expect((await plan(text("a", "ghosts"))).json.fields).toMatchObject([
		{ line: 9, path: "spec.templates.0.document.metadata.team", message: expect.stringContaining("ghosts") },
	]);
	expect((await plan(text("a").replace("estimate: 1h", "estimate: soon"))).json.fields).toMatchObject([
		{ line: 10, path: "spec.templates.0.document.spec.duration.estimate" },
	]);
	const twice = `${text("a")}${text("b").slice(text("b").indexOf("    - name"))}`;
	expect((await plan(twice)).json.fields).toMatchObject([{ line: 11, message: expect.stringContaining('two templates "nightly"') }]);
	expect(await apply(text("a"), "--yes")).toMatchObject({ code: 0, out: expect.stringContaining("+ template research/nightly") });
	expect(await apply(text("a"), "--yes")).toMatchObject({ out: "No changes.\n" });
	const before = (await world.get("/templates")).json.items as { id: string; name: string; version: number }[];
	expect(before).toMatchObject([
		{ name: "nightly", version: 1 },
		{ name: "retrain", description: "Monthly retraining", kind: "Pipeline" },
	]);
	// A person saved another version with a comment and another field order: only the command differs.
	const saved =
		"# nightly run\nkind: Job\napiVersion: spillway/v1\nmetadata: { team: research, name: run }\nspec: { duration: { estimate: 1h }, command: [b] }\n";
	expect((await world.post("/templates", { name: "nightly", text: saved, baseVersion: 1 })).status).toBe(200);
	expect(await apply(text("b"), "--yes")).toMatchObject({ out: "No changes.\n" });
	expect(await apply(text("a"), "--yes", "--prune")).toMatchObject({
		code: 0,
		out: expect.stringContaining("- template research/retrain"),
	});
	expect((await world.get("/templates")).json.items).toMatchObject([{ name: "nightly", version: 3 }]);
});

it("applies triggers: drift, disabled ones, keys of webhooks, removal with --prune, problems with their position", async () => {
	const pipeline = `{ apiVersion: spillway/v1, kind: Pipeline, metadata: { name: retrain, team: research }, spec: { steps: [{ name: train, job: { command: [a] } }] } }`;
	const text = (source: string, entry = "", team = "research") =>
		file_(
			`  triggers:\n    - ${entry === "" ? "" : `${entry}\n      `}document:\n        apiVersion: spillway/v1\n        kind: Trigger\n        metadata: { name: nightly, team: ${team} }\n        spec: { ${source}, pipeline: ${pipeline} }\n`,
		);
	const cron = (hour: number) => `cron: { schedule: "0 ${hour} * * *" }`;
	const listed = async () => (await world.get("/triggers")).json.items as { id: string; name: string; enabled: boolean; source: object }[];
	expect(
		(await plan(text(cron(6), "", "ghosts").replace("name: retrain, team: research", "name: retrain, team: ghosts"))).json.fields,
	).toMatchObject([{ line: 8, path: "spec.triggers.0.document.metadata.team", message: expect.stringContaining("ghosts") }]);
	expect((await plan(text("cron: { schedule: soon }"))).json.fields).toMatchObject([
		{ line: 9, path: "spec.triggers.0.document.spec.cron.schedule" },
	]);
	expect((await plan(text(cron(6)).replace("command: [a]", "comand: [a]"))).json.fields).toContainEqual(
		expect.objectContaining({ line: 9, path: expect.stringContaining("spec.triggers.0.document.spec.pipeline.spec.steps.0.job") }),
	);
	expect((await plan(text("webhook: {}"))).json.fields).toMatchObject([{ message: expect.stringContaining("needs a key") }]);
	expect((await apply(text(cron(6)), "--yes")).out).toContain("+ trigger research/nightly");
	expect(await apply(text(cron(6)), "--yes")).toMatchObject({ out: "No changes.\n" });
	const [first] = (await listed()).filter(({ name }) => name === "nightly");
	// Drift: a person disabled it. A file without `enabled` keeps that, also when it changes the schedule.
	expect((await world.post(`/triggers/${first?.id}/enable`, { enabled: false })).status).toBe(200);
	expect(await apply(text(cron(6)), "--yes")).toMatchObject({ out: "No changes.\n" });
	expect((await plan(text(cron(6), "enabled: true"))).json.changes).toMatchObject([
		{ kind: "trigger", id: "research/nightly", action: "update", fields: [{ field: "enabled", before: "false", after: "true" }] },
	]);
	expect((await apply(text(cron(7)), "--yes")).out).toContain("0 7 * * *");
	expect(await listed()).toContainEqual(
		expect.objectContaining({ name: "nightly", enabled: false, source: expect.objectContaining({ schedule: "0 7 * * *" }) }),
	);
	const key = { "env:HOOK_KEY": "k".repeat(32) };
	const hook = text("webhook: { types: [a] }", "key: env:HOOK_KEY");
	const { json } = await plan(hook, { secrets: key });
	expect(json.changes).toMatchObject([{ fields: [{ field: "source" }, { field: "key", after: "(secret), changed" }] }]);
	expect((await world.post("/company/apply", { text: hook, secrets: key, hash: json.hash })).status).toBe(200);
	expect((await plan(hook, { secrets: key })).json.changes).toEqual([]);
	expect((await plan(hook, { secrets: { "env:HOOK_KEY": "n".repeat(32) } })).json.changes).toMatchObject([{ fields: [{ field: "key" }] }]);
	expect((await apply(file_("  triggers: []\n"), "--yes", "--prune")).out).toContain("- trigger research/nightly");
	expect(await listed()).toEqual([]);
});

it("applies exchange rates and the reporting currency; the command imports, lists and sets them", async () => {
	const rate = (value: string) =>
		file_(
			`  currency: CHF\n  exchangeRates:\n    - { currency: CHF, date: "2025-01-06", rate: "${value}", source: Group treasury }\n    - { currency: SEK, date: "2025-01-06", rate: "10.5", source: Group treasury }\n`,
		);
	expect(await apply(rate("0.9120"), "--yes")).toMatchObject({ code: 0, out: expect.stringContaining('CHF 2025-01-06: "0.912"') });
	expect(await apply(rate("0.912"), "--yes")).toMatchObject({ code: 0, out: "No changes.\n" });
	expect(await apply(rate("0.92"), "--dry-run")).toMatchObject({ code: 5, out: expect.stringContaining('"0.92"') });
	expect((await plan(rate("0"))).text).toContain("must be above 0");

	const currency = (...args: string[]) =>
		runCommand(["currency", ...args], { cwd: folder, env: { SPILLWAY_TOKEN: world.tokens.platform, SPILLWAY_URL: world.url } });
	expect((await currency()).out).toMatch(/^Reports are in CHF\.\n[\s\S]*SEK +1 +2025-01-06/);
	writeFileSync(path.join(folder, "rates.csv"), "Date,USD,GBP,\n2025-01-07,1.25,0.8,\n");
	expect(await currency("import", "rates.csv")).toMatchObject({ code: 2, err: expect.stringContaining("--message") });
	expect(await currency("import", "rates.csv", "--message", "ECB")).toMatchObject({
		code: 0,
		out: "EUR, GBP, 2025-01-07 to 2025-01-07: 2 new, 0 replaced, 0 unchanged\n",
	});
	expect((await currency("rates", "GBP")).out).toMatch(/2025-01-07 +GBP +0\.64 +ECB/);
	expect(await currency("set", "NOK")).toMatchObject({ code: 5, err: expect.stringContaining("no exchange rates for NOK") });
	expect((await currency("set", "USD")).out).toBe("Reports are in USD.\n");
	expect((await world.get("/spend?currency=EUR&groupBy=job")).status).toBe(400);
});

it("applies stores: drift, new credentials and prices, problems at their places, removed with --prune", async () => {
	const entry = (more: string) => `    - { team: research, name: models, config: { kind: s3, bucket: acme-models${more} }\n`;
	const text = (more: string) => file_(`  stores:\n${entry(more)}`);
	const same = ", region: eu-west-1, place: 'aws:eu-west-1' }, credentials: 'env:STORE_CREDENTIALS'";
	const prices = ", usdPerGiBMonth: 0.023, usdPerGiBEgress: 0.09";
	expect((await plan(text("_ }"))).json.fields).toMatchObject([{ line: 5, path: "spec.stores.0.config.bucket" }]);
	expect((await plan(text(" }"))).json.fields).toMatchObject([
		{ line: 5, path: "spec.stores.0.credentials", message: expect.stringContaining("accessKeyId") },
	]);
	expect((await plan(text("-2 }, credentials: 'env:STORE_CREDENTIALS'"))).json.fields).toMatchObject([
		{
			line: 5,
			path: "spec.stores.0.config",
			message: expect.stringContaining("Store research/models keeps its files in s3://acme-models"),
		},
	]);
	const folder = "    - { team: research, name: disk, config: { kind: folder, path: /srv/results } }\n";
	expect((await plan(`${text(same)}${folder}`)).json.fields).toMatchObject([
		{ line: 6, path: "spec.stores.1.isDefault", message: expect.stringContaining('"models" is the default store of research') },
	]);

	const listed = async () => (await world.get("/stores")).json.stores as { id: string; name: string }[];
	const [store] = await listed();
	expect(store).toMatchObject({ isDefault: true, price: { microUsdPerGiBMonth: "23000" }, checkedAt: null });
	await world.call("PUT", `/api/v1/stores/${store?.id}`, { body: { isDefault: false } });
	await world.call("PUT", `/api/v1/stores/${store?.id}/price`, { body: { usdPerGiBMonth: "0.03", usdPerGiBEgress: null } });
	expect((await apply(text(same + prices), "--dry-run")).out).toBe(
		"~ store research/models\n    isDefault: false -> true\n    usdPerGiBMonth: 0.03 -> 0.023\n    usdPerGiBEgress: 0.09\n",
	);
	const rotated = await plan(text(`${same}, isDefault: false, usdPerGiBMonth: 0.03`), {
		secrets: { ...SECRETS, "env:STORE_CREDENTIALS": STORE_KEY.replace("hidden", "rotated") },
	});
	expect(rotated.json.changes).toMatchObject([{ id: "research/models", fields: [{ field: "credentials", after: "(secret), changed" }] }]);
	expect(rotated.text).not.toContain("store-key");

	const both = `${text(`${same.replace("place: 'aws:eu-west-1'", "place: 'aws:eu-west-2'")}${prices}, isDefault: false`)}${folder}`;
	expect(await apply(both, "--yes")).toMatchObject({ code: 0, out: expect.stringContaining("+ store research/disk") });
	expect(await apply(both, "--yes")).toMatchObject({ code: 0, out: "No changes.\n" });
	expect(await listed()).toMatchObject([
		{ name: "disk", isDefault: true },
		{ id: store?.id, place: "aws:eu-west-2", isDefault: false, price: { microUsdPerGiBEgress: "90000" } },
	]);
	const pruned = await apply(file_(`  stores:\n${folder}`), "--yes", "--prune");
	expect(pruned).toMatchObject({ code: 0, out: expect.stringContaining("- store research/models") });
	expect(await listed()).toMatchObject([{ name: "disk" }]);
});

it("applies data sets and stores for copies: drift, unknown places at their lines, removed with --prune only", async () => {
	const { items, stores } = (await world.get("/data-sets")).json;
	expect(items).toEqual([
		{
			uri: "s3://acme/claims",
			copies: [
				{ at: "aws:eu-west-1", uri: "s3://acme/claims" },
				{ at: "lab", uri: "file:///data/claims" },
			],
		},
	]);
	expect(stores).toEqual([{ at: "aws:eu-west-1", uri: "s3://acme-stage/spillway", usdPerGiBMonth: 0.023 }]);
	const set = (uri: string, at: string) => `    - { uri: "${uri}", copies: [{ at: "${at}", uri: "gs://acme-eu/genomes" }] }\n`;
	const genomes = file_(`  dataSets:\n${set("gs://acme-eu/genomes", "gcp:europe-west4")}`);
	expect((await plan(file_(`  dataSets:\n${set("gs://a/b", "nowhere")}`))).json.fields).toMatchObject([
		{ line: 5, path: "spec.dataSets.0.copies.0.at", message: expect.stringMatching(/^must be a region .* owned site: .*lab/) },
	]);
	expect((await plan(file_('  dataStores:\n    - { at: "aws:eu-west-1", uri: "file:///x" }\n'))).json.fields).toMatchObject([
		{ line: 5, path: "spec.dataStores.0.uri" },
	]);
	expect((await plan(`${genomes}${set("gs://acme-eu/genomes", "lab")}`)).json.fields).toMatchObject([{ path: "spec.dataSets.1.uri" }]);
	expect((await apply(genomes, "--yes")).out).toContain("~ data copies\n    gs://acme-eu/genomes: ");
	expect(await apply(genomes, "--yes")).toMatchObject({ code: 0, out: "No changes.\n" });
	expect((await world.get("/data-sets")).json).toMatchObject({ items: [items[0], { uri: "gs://acme-eu/genomes" }], stores });
	expect((await apply(genomes, "--yes", "--prune")).code).toBe(0);
	expect((await world.get("/data-sets")).json).toMatchObject({ items: [{ uri: "gs://acme-eu/genomes" }], stores });
});

it("applies rate cards: drift by field, dated cards, problems at their places", async () => {
	const section = EXAMPLE.slice(EXAMPLE.indexOf("  rateCards:"), EXAMPLE.indexOf("  policy:")).replace("lab/gpu-h100x8", "home/pool");
	const text = file_(section);
	expect(await apply(text, "--yes")).toMatchObject({ code: 0, out: expect.stringContaining("+ rate card home/pool") });
	expect(await apply(text, "--yes", "--prune")).toMatchObject({ code: 0, out: "No changes.\n" });
	expect((await plan(text.replace("home/pool", "moon/pool"))).json.fields).toMatchObject([
		{ line: 5, path: "spec.rateCards.0.pool", message: expect.stringContaining('no site "moon"') },
	]);
	expect((await plan(text.replace("home/pool", "home/later"))).json).toMatchObject({
		...{ changes: [], skipped: [expect.stringContaining("rate card of home/later")] },
	});
	expect((await plan(text.replace('pue: "1.3"', 'pue: "0.9"'))).json.fields).toMatchObject([
		{ line: 10, path: "spec.rateCards.0.card.power.pue" },
	]);
	expect((await plan(text.replace('"0.12"', '"12 cents"'))).json.fields).toMatchObject([
		{ line: 10, path: "spec.rateCards.0.card.power.electricityUsdPerKwh", message: expect.stringContaining("must be a decimal") },
	]);
	const dear = text.replace('"0.12"', '"0.15"');
	expect(await apply(dear, "--dry-run")).toMatchObject({
		...{ code: 5, out: '~ rate card home/pool\n    power.electricityUsdPerKwh: "0.12" -> "0.15"\n' },
	});
	const dated = (from: string) => dear.replace("      message:", `      effectiveFrom: "${from}"\n      message:`);
	expect((await plan(dated("1999-01-01"))).json.fields).toMatchObject([{ line: 6, path: "spec.rateCards.0.effectiveFrom" }]);
	const ahead = dated(new Date(world.nowMs() + 40 * 86_400_000).toISOString());
	expect(await apply(ahead, "--yes")).toMatchObject({ code: 0, out: expect.stringContaining("+ rate card home/pool from 2") });
	expect(await apply(ahead, "--yes")).toMatchObject({ code: 0, out: "No changes.\n" });
	expect((await world.get("/sites/home/pools/pool/rate-card")).json.history).toHaveLength(2);
});

it("applies custom roles before the people who have them, and removes unused ones with --prune", async () => {
	const role = (more: string) => `  roles:\n    - { name: operator, base: platform, permissions: [job:read${more}] }\n`;
	const person = "  people:\n    - { email: op@example.com, name: Op, role: operator }\n";
	const refused = await plan(file_(role(", account:manage")));
	expect(refused.json.fields).toMatchObject([
		{ path: "spec.roles.0.permissions.1", message: expect.stringContaining("cannot have account:manage") },
	]);
	expect((await plan(file_(person))).json.fields).toMatchObject([{ path: "spec.people.0.role" }]);
	expect(await apply(file_(role(", job:cancel") + person), "--yes")).toMatchObject({
		code: 0,
		out: expect.stringContaining("+ role operator"),
	});
	const rows = await world.database.db.select().from(account).where(eq(account.email, "op@example.com"));
	expect(rows).toMatchObject([{ role: "platform", customRole: "operator" }]);
	expect((await plan(file_(role(", job:cancel") + person))).json.changes).toEqual([]);
	expect((await plan(file_(role("") + person))).json.changes).toMatchObject([{ kind: "role", id: "operator", action: "update" }]);
	const retired = file_("  roles: []\n  people:\n    - { email: op@example.com, name: Op, role: finance }\n");
	const { json } = await plan(retired, { prune: true });
	expect(json.changes.at(-1)).toMatchObject({ kind: "role", id: "operator", action: "remove" });
});
