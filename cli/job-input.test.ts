import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { parseCommandArgs } from "./args.ts";
import { JOB_OPTIONS, type JobDocument, nameOfCommand, readJobInput } from "./job-input.ts";

let folder: string;
beforeEach(() => {
	folder = mkdtempSync(path.join(os.tmpdir(), "spillway job-"));
});

function read(argv: string[], env: Record<string, string> = {}, stdin = ""): Promise<JobDocument> {
	return readJobInput(parseCommandArgs(argv, JOB_OPTIONS), { cwd: folder, env, readStdin: async () => stdin });
}

const YAML = `apiVersion: spillway/v1
kind: Job
metadata: { name: seven, team: research }
spec:
  command: [node, train.mjs]
  env: { SEED: 7 }
  duration: { estimate: 1m }
`;

describe("a command", () => {
	it("becomes the smallest job, with only what was given", async () => {
		expect(await read(["--team", "research", "--", "node", "a/train.mjs", "-x"])).toEqual({
			apiVersion: "spillway/v1",
			kind: "Job",
			metadata: { name: "train", team: "research" },
			spec: { command: ["node", "a/train.mjs", "-x"] },
		});
	});
	it("includes the current folder only when asked to", async () => {
		mkdirSync(path.join(folder, "sub"));
		const uri = async (...argv: string[]) => (await read([...argv, "--team", "research", "--", "true"])).spec;
		expect(await uri("--workdir")).toMatchObject({ data: [{ uri: `file://${encodeURI(folder)}`, mount: "." }] });
		expect(await uri("--workdir", "sub")).toMatchObject({ data: [{ uri: `file://${encodeURI(folder)}/sub` }] });
	});
	it.each([
		[["node", "language-id/train.mjs"], "train"],
		[["/usr/bin/python3.12", "-u", "fit.py"], "fit"],
		[["./run me!.sh"], "run-me"],
		[["bash", "-c", "echo hello; sleep 1"], "bash"],
		[["!!!"], "job"],
		[["x".repeat(100)], "x".repeat(55)],
	])("%j is named %s", (command, name) => {
		expect(nameOfCommand(command)).toBe(name);
	});
});

describe("a job file", () => {
	it("is changed by flags, and by SPILLWAY_TEAM only if it has no team", async () => {
		writeFileSync(path.join(folder, "job.yaml"), YAML);
		const document = await read(["-f", "job.yaml", "--gpus", "2", "--env", "SEED=8", "--env", "B==", "--max", "2m"], {
			SPILLWAY_TEAM: "vision",
		});
		expect(document).toMatchObject({
			metadata: { name: "seven", team: "research" },
			spec: { env: { SEED: "8", B: "=" }, resources: { gpus: 2 }, duration: { estimate: "1m", max: "2m" } },
		});
		expect(await read(["-f", "-"], { SPILLWAY_TEAM: "vision" }, YAML.replace(", team: research", ""))).toMatchObject({
			metadata: { team: "vision" },
		});
	});

	it("resolves its file: addresses next to itself, whatever the current folder is", async () => {
		mkdirSync(path.join(folder, "sub/data set"), { recursive: true });
		const uris = ["file:.", "file:data set", "file:../sub", "file:///srv/data", "s3://bucket/x"];
		const data = uris.map((uri, i) => `{ uri: "${uri}", mount: m${i} }`).join(", ");
		writeFileSync(path.join(folder, "sub/job.yaml"), `${YAML}  data: [${data}]\n`);
		const { spec } = await read(["-f", "sub/job.yaml"]);
		const base = `file://${encodeURI(folder)}/sub`;
		expect((spec as { data: { uri: string }[] }).data.map((d) => d.uri)).toEqual([
			base,
			`${base}/data%20set`,
			base,
			"file:///srv/data",
			"s3://bucket/x",
		]);
	});

	it.each([
		[["-f", "none.yaml"], "-f none.yaml: there is no such file."],
		[["-f", "."], "-f .: it is a folder."],
		[["-f", "job.yaml", "--workdir"], "--workdir goes with -- COMMAND"],
		[["-f", "job.yaml", "--", "true"], "not both"],
		[[], "either -f FILE or -- COMMAND"],
		[["--"], "Give the command to run after --"],
		[["-f", "job.yaml", "--env", "__proto__=x"], "__proto__"],
		[["-f", "job.yaml", "--max", "30s"], "spec.duration.estimate"],
	])("%j is rejected", async (argv, message) => {
		writeFileSync(path.join(folder, "job.yaml"), YAML);
		await expect(read(argv)).rejects.toThrow(message);
	});

	it("is rejected with its line and column, except for fields set by a flag", async () => {
		const file = (text: string): void => writeFileSync(path.join(folder, "job.yaml"), text);
		file(YAML.replace("name: seven", "name: -x"));
		await expect(read(["-f", "job.yaml"])).rejects.toThrow(/^job\.yaml:3:19: metadata\.name: must be 1 to 63/);
		expect(await read(["-f", "job.yaml", "--name", "right"])).toMatchObject({ metadata: { name: "right" } });
		await expect(read(["-f", "job.yaml", "--name=-wrong-"])).rejects.toThrow("--name (metadata.name): must be 1 to 63");
		file(`${YAML}  data: [{ uri: "file:none", mount: x }]\n`);
		await expect(read(["-f", "job.yaml"])).rejects.toThrow(/^job\.yaml:8:17: "none" is .*none, which does not exist/);
	});
});
