import { spawnSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RestWorld } from "#server/api/testing/rest-world.ts";

let world: RestWorld;
beforeAll(async () => {
	world = await RestWorld.open();
});
afterAll(() => world.close());

const SCRIPT = `#!/bin/bash
#SBATCH -J sweep --account=vision
#SBATCH --gres=gpu:a100:2 --array=1-2
module load cuda
srun -N 1 --ntasks=1 --gpus-per-task 2 echo "task $SLURM_ARRAY_TASK_ID of job $SLURM_JOB_ID" "with  blanks"
`;

describe("POST /imports", () => {
	it("reads a script, whose jobs can be submitted as they are", async () => {
		const answer = await world.post("/imports/sbatch", SCRIPT, { headers: { "content-type": "text/plain" } });
		expect(answer.status).toBe(200);
		expect(answer.json).toMatchObject({ kind: "sbatch", questions: 1 });
		expect(answer.json.documents[0].metadata).toMatchObject({ name: "sweep-1", team: "vision" });
		expect(answer.json.documents[0].spec.resources.accelerators.length).toBeGreaterThan(0);
		const submitted = await world.post("/jobs", { items: answer.json.documents });
		expect(submitted.status).toBe(201);
	});

	it("gives a command that runs where there is no Slurm, with the same arguments", async () => {
		const answer = await world.post("/imports/sbatch", { text: SCRIPT });
		const [program, ...words]: string[] = answer.json.documents[1].spec.command;
		const env = { PATH: "/usr/bin:/bin", HOME: "/nonexistent", SPILLWAY_JOB_ID: "job_1", ...answer.json.documents[1].spec.env };
		const ran = spawnSync(program ?? "", words, { env, encoding: "utf8" });
		expect(ran.stderr).toBe("");
		expect(ran.stdout).toBe("task 2 of job job_1 with  blanks\n");
	});

	it("asks about a team that the person is not in, and about what the job file refuses", async () => {
		const text = "#!/bin/bash\n#SBATCH -A nobody -N 999 --gpus-per-node=8\ntrue\n";
		const answer = await world.post("/imports/sbatch", { text });
		const questions = answer.json.findings.filter((f: { kind: string }) => f.kind === "question");
		expect(questions.map((f: { subject: string }) => f.subject)).toEqual(["The job file does not take it", "Account nobody"]);
		expect(questions[0].text).toContain("nodes");
	});

	it("reads a manifest, and tells a broken one with its line", async () => {
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
