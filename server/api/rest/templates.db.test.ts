import { asc, eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, it } from "vitest";
import { runCommand } from "#cli/testing/run-command.ts";
import { type Person, RestWorld } from "#server/api/testing/rest-world.ts";
import { audit } from "#server/db/schema/audit.ts";
import { pipeline } from "#server/db/schema/pipeline.ts";

let world: RestWorld;
beforeAll(async () => {
	world = await RestWorld.open();
});
afterAll(() => world.close());

const file = (name: string, command = "echo") => `apiVersion: spillway/v1
kind: Pipeline
metadata: { name: ${name}, team: research }
spec:
  parameters:
    month: { type: text, description: Month of the data }
    gpus: { type: number, default: 1, choices: [1, 2] }
    dry: { type: boolean, default: false }
  steps:
    - name: train
      job:
        command: [${command}, "\${{ parameters.month }}", "\${{ parameters.dry }}"]
        resources: { gpus: "\${{ parameters.gpus }}" }
`;

const save = (body: object, as: Person = "scientist") => world.post("/templates", body, { as });
const run = (id: string, body: object, as: Person = "scientist", headers = {}) =>
	world.post(`/templates/${id}/runs`, body, { as, headers });
const create = async (name: string): Promise<string> => String((await save({ text: file(name), description: "Retrain" })).json.id);
const messages = (json: { fields?: { path: string; message: string }[] }) => json.fields?.map(({ path, message }) => `${path} ${message}`);

it("keeps each version, and rejects a change based on an earlier one", async () => {
	const made = await save({ text: file("kept"), description: "First" });
	expect(made).toMatchObject({ status: 201, json: { name: "kept", team: "research", version: 1 } });
	const { id } = made.json;
	expect(await save({ text: file("kept") })).toMatchObject({
		status: 409,
		json: { detail: expect.stringContaining("current version is 1") },
	});
	expect(await save({ text: file("kept"), baseVersion: 2 })).toMatchObject({ status: 409 });
	expect(await save({ text: file("new"), baseVersion: 1 })).toMatchObject({
		status: 409,
		json: { detail: expect.stringContaining("no template") },
	});
	const change = { text: file("kept", "sh"), baseVersion: 1 };
	const answers = await Promise.all([save(change, "platform"), save(change, "platform")]);
	expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
	const { json } = await world.get(`/templates/${id}`, { as: "scientist" });
	expect(json).toMatchObject({ version: 2, currentVersion: 2, savedBy: "platform", source: file("kept", "sh") });
	expect(json.versions.map((v: { version: number; savedBy: string }) => [v.version, v.savedBy])).toEqual([
		[2, "platform"],
		[1, "scientist"],
	]);
	expect(json.parameters).toEqual([
		{ name: "month", type: "text", default: null, choices: null, description: "Month of the data" },
		{ name: "gpus", type: "number", default: 1, choices: [1, 2], description: null },
		{ name: "dry", type: "boolean", default: false, choices: null, description: null },
	]);
	expect((await world.get(`/templates/${id}?version=1`, { as: "scientist" })).json).toMatchObject({ version: 1, source: file("kept") });
	expect(await world.get(`/templates/${id}?version=9`, { as: "scientist" })).toMatchObject({ status: 404 });
	const rows = await world.database.db.select().from(audit).where(eq(audit.subject, id)).orderBy(asc(audit.id));
	expect(rows.map(({ action, actor }) => [action, actor])).toEqual([
		["template.create", "account:usr_scientist"],
		["template.update", "account:usr_platform"],
	]);
});

it("runs once per Idempotency-Key, with its parameters filled in and quoted before", async () => {
	const id = await create("run");
	const parameters = { month: "2026-10", gpus: "2" };
	const quoted = await world.post(`/templates/${id}/quotes`, { parameters }, { as: "scientist" });
	expect(quoted).toMatchObject({ status: 200, json: { version: 1, job: null, pipeline: { name: "run", runs: 1 } } });
	const answers = await Promise.all(
		[1, 2].map(() => run(id, { parameters, version: 1 }, "scientist", { "idempotency-key": "a-run-of-the-template" })),
	);
	expect(answers.map(({ status }) => status)).toEqual([201, 201]);
	const [first, second] = answers;
	expect(first?.json).toEqual({ id: second?.json.id, kind: "Pipeline", name: "run", version: 1 });
	const rows = await world.database.db.select().from(pipeline).where(eq(pipeline.name, "run"));
	expect(rows.map((row) => [row.id, row.parameters, row.submittedBy, row.source])).toEqual([
		[first?.json.id, { month: "2026-10", gpus: 2, dry: false }, "account:usr_scientist", file("run")],
	]);
	const path = `/pipelines/${first?.json.id}`;
	const template = { id, name: "run", version: 1, isDeleted: false };
	expect((await world.get(path, { as: "scientist" })).json).toMatchObject({ template, parameters: { month: "2026-10", gpus: 2 } });
	await world.call("DELETE", `/api/v1/templates/${id}`, { as: "scientist" });
	expect((await world.get(path, { as: "scientist" })).json).toMatchObject({ template: { ...template, isDeleted: true } });
	const [entry] = await world.database.db.select().from(audit).where(eq(audit.action, "template.run"));
	expect(entry).toMatchObject({ subject: id, after: { version: 1, started: first?.json.id, parameters } });
});

it("names each invalid parameter with what is allowed", async () => {
	const id = await create("wrong");
	for (const [parameters, expected] of [
		[{}, ["spec.parameters.month has no default and no value. Give one: --param month=…"]],
		[{ month: "x", gpus: 3 }, ["spec.parameters.gpus must be one of 1, 2"]],
		[{ month: "x", gpus: "two" }, ["spec.parameters.gpus must be one of 1, 2"]],
		[{ month: "x", dry: "maybe" }, ["spec.parameters.dry must be true or false"]],
		[{ month: "x", moth: "y" }, ["spec.parameters.moth is not a parameter of this file. Did you mean month?"]],
	] as const) {
		const answer = await run(id, { parameters });
		expect([answer.status, messages(answer.json)]).toEqual([400, expected]);
	}
	expect(await run(id, { parameters: { month: { year: 2026 } } })).toMatchObject({ status: 400 });
	expect(await run(id, { parameters: { month: "x" }, version: 2 })).toMatchObject({ status: 409 });
});

it("is readable by its team and finance, and runnable by those who may submit", async () => {
	const id = await create("seen");
	const namesOf = async (as: Person) => (await world.get("/templates", { as })).json.items.map((t: { name: string }) => t.name);
	expect(await namesOf("scientist")).toContain("seen");
	expect(await namesOf("stranger")).toEqual([]);
	expect(await world.get(`/templates/${id}`, { as: "finance" })).toMatchObject({ status: 200, json: { name: "seen", source: null } });
	const parameters = { month: "x" };
	expect((await run(id, { parameters }, "finance")).status).toBe(403);
	expect((await save({ text: file("seen"), baseVersion: 1 }, "finance")).status).toBe(403);
	expect((await save({ text: file("seen"), baseVersion: 1 }, "stranger")).status).toBe(403);
	expect((await run(id, { parameters }, "stranger")).status).toBe(404);
	expect((await world.call("DELETE", `/api/v1/templates/${id}`, { as: "stranger" })).status).toBe(404);
	expect((await world.call("DELETE", `/api/v1/templates/${id}`, { as: "scientist" })).status).toBe(200);
	expect((await run(id, { parameters })).status).toBe(404);
	expect((await save({ text: file("seen") })).status).toBe(201);
});

it("stores a job, which has no parameters, and the file of a pipeline", async () => {
	const text = 'apiVersion: spillway/v1\nkind: Job\nmetadata: { name: one, team: research }\nspec: { command: ["true"] }\n';
	const { json } = await save({ name: "nightly", text });
	expect((await world.post(`/templates/${json.id}/quotes`, {}, { as: "scientist" })).json).toMatchObject({
		job: { gpus: 1 },
		pipeline: null,
	});
	const started = await run(json.id, {});
	expect(started).toMatchObject({ status: 201, json: { kind: "Job", name: "one" } });
	expect((await world.get(`/jobs/${started.json.id}`, { as: "scientist" })).json).toMatchObject({
		...{ name: "one", state: "queued" },
		template: { id: json.id, name: "nightly", version: 1, isDeleted: false },
	});
	const shown = await runCommand(["show", String(started.json.id)], {
		env: { SPILLWAY_TOKEN: world.tokens.scientist, SPILLWAY_URL: world.url },
	});
	expect(shown).toMatchObject({ code: 0, out: expect.stringMatching(/template +nightly version 1\n/) });
	expect(await run(json.id, { parameters: { a: 1 } })).toMatchObject({ status: 400, json: { detail: "A job has no parameters." } });

	const source = await run(await create("source"), { parameters: { month: "x" } });
	const copy = await save({ name: "copy", pipelineId: source.json.id });
	expect((await world.get(`/templates/${copy.json.id}`, { as: "scientist" })).json).toMatchObject({
		kind: "Pipeline",
		source: file("source"),
	});
	expect(await save({ name: "copy-2", pipelineId: source.json.id }, "stranger")).toMatchObject({ status: 404 });
	for (const wrong of [{}, { text, pipelineId: source.json.id }, { text: "kind: Trigger" }, { text: file("bad").replace("train", "a b") }])
		expect(await save(wrong)).toMatchObject({ status: 400 });
});

it("is saved, quoted and run from the command line, with the example", async () => {
	const env = { SPILLWAY_URL: world.url, SPILLWAY_TOKEN: world.tokens.scientist };
	const cli = (...args: string[]) => runCommand(["templates", ...args], { env });
	expect(await cli("save", "-f", "examples/pipelines/retrain.yaml")).toMatchObject({
		...{ code: 0, out: expect.stringMatching(/^tmpl_\w+ {2}retrain-fraud {2}version 1\n$/) },
	});
	expect((await cli("show", "retrain-fraud")).out).toMatch(/month +text +required.*\n *rate +number +1 +0\.1, 1, 10/);
	expect((await cli("quote", "retrain-fraud", "--param", "month=2026-10")).out).toContain("train");
	expect(await cli("run", "retrain-fraud", "--param", "month=2026-10", "--param", "rate=10")).toMatchObject({
		...{ code: 0, err: expect.stringContaining("at most"), out: expect.stringMatching(/^pipe_\w+ {2}retrain-fraud {2}Pipeline from/) },
	});
	const shown = await runCommand(["pipeline", "show", "retrain-fraud"], { env });
	expect(shown.out).toMatch(/^template retrain-fraud version 1 .*rate=10 .*month=2026-10 /m);
	expect(await cli("run", "retrain-fraud", "--param", "month=x", "--param", "rate=2")).toMatchObject({
		...{ code: 2, err: expect.stringContaining("must be one of 0.1, 1, 10") },
	});
	expect((await cli("rm", "retrain-fraud")).code).toBe(0);
	expect(await cli("show", "retrain-fraud")).toMatchObject({ err: expect.stringContaining("There is no template") });
});
