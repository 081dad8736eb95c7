import { spawnSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RestWorld } from "#server/api/testing/rest-world.ts";
import { jobImport } from "#server/db/schema/job-import.ts";
import { importRecord, KEPT_FINDINGS_MAX } from "#server/domain/imports/record.ts";
import type { Finding } from "#server/domain/imports/types.ts";

let world: RestWorld;
beforeAll(async () => {
	world = await RestWorld.open();
});
afterAll(() => world.close());

const SCRIPT = `#!/bin/bash
#SBATCH -J sweep --account=vision
#SBATCH --gres=gpu:a100:2 
module load cuda
srun -N 1 --ntasks=1 --gpus-per-task 2 echo "job $SLURM_JOB_ID" "with  blanks"
`;

describe("POST /imports", () => {
	it("reads a script into jobs that can be submitted as they are", async () => {
		const answer = await world.post("/imports/sbatch", SCRIPT, { headers: { "content-type": "text/plain" } });
		expect(answer.status).toBe(200);
		expect(answer.json).toMatchObject({ kind: "sbatch", questions: 1 });
		expect(answer.json.documents[0].metadata).toMatchObject({ name: "sweep", team: "vision" });
		expect(answer.json.documents[0].spec.resources.accelerators.length).toBeGreaterThan(0);
		const submitted = await world.post("/jobs", { items: answer.json.documents });
		expect(submitted.status).toBe(201);
	});

	it("converts the command to one that runs without Slurm, with the same arguments", async () => {
		const answer = await world.post("/imports/sbatch", { text: SCRIPT });
		const [program, ...words]: string[] = answer.json.documents[0].spec.command;
		const env = { PATH: "/usr/bin:/bin", HOME: "/nonexistent", SPILLWAY_JOB_ID: "job_1", ...answer.json.documents[0].spec.env };
		const ran = spawnSync(program ?? "", words, { env, encoding: "utf8" });
		expect(ran.stderr).toBe("");
		expect(ran.stdout).toBe("job job_1 with  blanks\n");
	});

	it("reads an array as one sweep, which is submitted as a pipeline", async () => {
		const text = SCRIPT.replace("a100:2", "a100:2 --array=1-20%4 --mail-type=FAIL").replace("module load cuda\n", "");
		const { json } = await world.post("/imports/sbatch", { text });
		expect(json.documents).toMatchObject([{ kind: "Sweep", spec: { parallel: 4, notify: ["failed"] } }]);
		expect(json.questions).toBe(0);
		const submitted = await world.post("/pipelines", { document: json.documents[0] });
		expect(submitted).toMatchObject({ status: 201, json: { kind: "Sweep", name: "sweep", runs: 20 } });
		expect((await world.post("/jobs", { items: json.documents })).status).toBe(400);
	});

	it("raises a question for a team that the person is not in, and for anything the job file rejects", async () => {
		const text = "#!/bin/bash\n#SBATCH -A nobody -N 999 --gpus-per-node=8\ntrue\n";
		const answer = await world.post("/imports/sbatch", { text });
		const questions = answer.json.findings.filter((f: { kind: string }) => f.kind === "question");
		expect(questions.map((f: { subject: string }) => f.subject)).toEqual(["The job file does not take it", "Account nobody"]);
		expect(questions[0].text).toContain("nodes");
	});

	it("stores with the jobs what was and was not carried over, as parsed by the server and not as claimed by the client", async () => {
		const { json } = await world.post("/imports/sbatch", { text: SCRIPT });
		const script = { kind: "sbatch", text: SCRIPT };
		const submitted = await world.post("/jobs", { items: [...json.documents, ...json.documents], script });
		expect(submitted.status).toBe(201);
		const [first, second] = await Promise.all(
			submitted.json.items.map(async ({ id }: { id: string }) => (await world.get(`/jobs/${id}`)).json),
		);
		expect(first.imported).toEqual(second.imported);
		expect(first.imported).toMatchObject({ kind: "sbatch", leftOut: 0, isAsRead: true, readAt: first.submittedAt });
		const byLine = (a: Finding, b: Finding) => a.line - b.line || a.subject.localeCompare(b.subject);
		expect(first.imported.findings.toSorted(byLine)).toEqual(json.findings.toSorted(byLine));
		expect(first.imported.findings[0].kind).toBe("question");
		expect(first.adoption).toBeNull();
		// One row for both.
		expect(await world.database.db.$count(jobImport)).toBe(1);
	});

	it("records that a job was changed after it was read, and nothing for a job that was not read", async () => {
		const { json } = await world.post("/imports/sbatch", { text: SCRIPT });
		const [document] = json.documents;
		const changed = { ...document, spec: { ...document.spec, priority: 7 } };
		const submitted = await world.post("/jobs", { items: [changed], script: { text: SCRIPT } });
		const [{ id }] = submitted.json.items;
		expect((await world.get(`/jobs/${id}`)).json.imported).toMatchObject({ kind: "sbatch", isAsRead: false });
		const plain = await world.post("/jobs", document);
		expect((await world.get(`/jobs/${plain.json.id}`)).json).toMatchObject({ imported: null, adoption: null });
		expect((await world.post("/jobs", { items: [document], script: { text: "" } })).status).toBe(400);
		expect((await world.post("/jobs", { items: [document], script: { text: SCRIPT, findings: [] } })).status).toBe(400);
	});

	it("keeps the most important findings of a script with thousands of lines, and reports how many it omitted", () => {
		const finding = (line: number, kind: Finding["kind"]): Finding => ({ line, kind, subject: "x".repeat(900), text: "" });
		const many = Array.from({ length: 900 }, (_, i) => finding(i + 1, i === 899 ? "question" : i % 2 === 0 ? "carried" : "dropped"));
		const record = importRecord("sbatch", many, true);
		expect([record.findings.length, record.leftOut]).toEqual([KEPT_FINDINGS_MAX, 900 - KEPT_FINDINGS_MAX]);
		expect(record.findings[0]).toMatchObject({ line: 900, kind: "question" });
		expect(record.findings.filter((f) => f.kind === "dropped")).toHaveLength(449);
		expect(Math.max(...record.findings.map((f) => f.subject.length))).toBe(500);
	});

	it("reads a manifest, and reports a broken one with its line", async () => {
		const yaml = { headers: { "content-type": "application/yaml" } };
		const good = await world.post(
			"/imports/kubernetes",
			"kind: Pod\nmetadata: { name: p }\nspec: { containers: [{ name: a, image: i, command: [a] }] }\n",
			yaml,
		);
		expect(good.json).toMatchObject({ kind: "kubernetes", questions: 0 });
		const broken = await world.post("/imports/kubernetes", "kind: Pod\nspec: {\n", yaml);
		expect(broken.status).toBe(400);
		expect(broken.json.fields[0].line).toBeGreaterThan(1);
		expect((await world.post("/imports/sbatch", { text: "" })).status).toBe(400);
	});
});
