import { execFileSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { withoutSecret } from "#cli/policy-file.ts";
import { type Ran, runCommand } from "#cli/testing/run-command.ts";
import type { PolicyProblem } from "#server/domain/policy.ts";
import { RestWorld } from "../testing/rest-world.ts";

/** On the largest possible job, this reads too many entries. */
const SLOW = `(${Array.from({ length: 20 }, () => "job.residency").join(" + ")}).exists(r, r == "eu" && r != "us")`;
let world: RestWorld;
let folder: string;
let shown: string;
beforeAll(async () => {
	world = await RestWorld.open();
	folder = mkdtempSync(path.join(os.tmpdir(), "spillway-policy-"));
	writeFileSync(path.join(folder, "token"), `${world.tokens.platform}\n`, { mode: 0o600 });
	shown = (await policy(["show"])).out;
});
afterAll(() => world.close());

function policy(args: string[], env: Record<string, string> = {}): Promise<Ran> {
	return runCommand(["policy", ...args], {
		cwd: folder,
		env: { SPILLWAY_TOKEN: "", SPILLWAY_URL: world.url, SPILLWAY_HOME: folder, ...env },
	});
}

function file(name: string, text: string): string {
	writeFileSync(path.join(folder, name), text);
	return name;
}
const git = (...args: string[]) =>
	execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.test", ...args], { cwd: folder, stdio: "pipe" })
		.toString()
		.trim();

describe("spillway policy", () => {
	it("lint prints file, line and column, and exits with 2; offline it makes no request", async () => {
		const wrong = file("wrong.yaml", shown.replace("burst:", "brust:"));
		const online = await policy(["lint", wrong]);
		expect(online).toMatchObject({ code: 2, out: expect.stringMatching(/^wrong\.yaml:8:7: .*brust.*Did you mean burst/m) });
		const offline = await policy(["lint", wrong, "--offline"], { SPILLWAY_URL: "http://127.0.0.1:1" });
		expect(offline).toMatchObject({ code: 2, out: expect.stringMatching(/^wrong\.yaml:8:7: .*brust/m) });
		expect(await policy(["lint", file("right.yaml", shown)])).toMatchObject({ code: 0, err: "" });
		expect(await policy(["lint", "none.yaml", "--offline"])).toMatchObject({
			code: 2,
			err: expect.stringContaining("none.yaml cannot be read"),
		});
	});

	it.each<[what: string, rule: string, says: RegExp]>([
		["that cannot be parsed", "{ id: x, deny: { sites: [cloud }", /Missing|must be|flow/i],
		["that contradicts another", "{ id: burst-on-wait, limit: { instanceHours: 2 } }", /burst-on-wait/],
		["with a site that does not exist", "{ id: x, deny: { sites: [awz] } }", /There is no site "awz"\. Did you mean aws\?/],
		["with a team that does not exist", "{ id: x, when: job.team == 'visoin', limit: { instanceHours: 2 } }", /There is no team "visoin"/],
		[
			"with a family that is a slip",
			"{ id: x, deny: { instanceFamilies: [g5.xlrge] } }",
			/g5\.xlrge, which matches no .* Did you mean g5\.xlarge\?/,
		],
		[
			"with a family that does not exist",
			"{ id: x, allow: { instanceFamilies: [quantum-9000] } }",
			/quantum-9000, which matches no .* Use one of: /,
		],
		["with an expression that can be slow", `{ id: x, when: '${SLOW}', limit: { instanceHours: 2 } }`, /steps/],
		["with an expression that is never true", "{ id: x, when: 'job.gpus < 0', limit: { instanceHours: 2 } }", /never|no job/i],
	])(
		"rejects a rule %s with the same message and position in the editor, the command line and REST",
		async (_, rule, says) => {
			const source = shown.replace("  rules:\n", `  rules:\n    - ${rule}\n`);
			// The editor shows the result of this same check while typing.
			const { problems } = (await world.post("/policies/default/check", { source })).json;
			const errors = (problems as PolicyProblem[]).filter(({ severity }) => severity === "error");
			const words = errors.map(({ line, column, message, fix }) => ({
				line,
				column,
				message: fix === null ? message : `${message} ${fix}`,
			}));
			expect(words.map(({ message }) => message).join("\n")).toMatch(says);

			const refused = await world.call("PUT", "/api/v1/policies/default", {
				body: { source, message: "wrong" },
				headers: { "if-match": "*" },
			});
			expect(refused.status).toBe(400);
			const fields = (refused.json.fields as { line: number; column: number; message: string }[]).map(({ line, column, message }) => ({
				...{ line, column, message },
			}));
			expect(fields).toEqual(expect.arrayContaining(words));

			const linted = await policy(["lint", file("refused.yaml", source)]);
			expect(linted.code).toBe(2);
			const flat = (text: string): string => text.replaceAll(/\s+/g, " ");
			for (const { line, column, message } of words) expect(flat(linted.out)).toContain(flat(`refused.yaml:${line}:${column}: ${message}`));
		},
		60_000,
	);

	it("rejects an unenforceable cap in the same way", async () => {
		const source = shown.replace("  budgets:\n", '  budgets:\n    - { id: gpus, scope: "true", gpuHours: 5 }\n');
		const { problems } = (await world.post("/policies/default/check", { source })).json;
		const error = (problems as PolicyProblem[]).find(({ message }) => message.includes("gpuHours"));
		expect(error).toMatchObject({ severity: "error", line: 12 });
		const refused = await world.call("PUT", "/api/v1/policies/default", {
			body: { source, message: "wrong" },
			headers: { "if-match": "*" },
		});
		expect(refused).toMatchObject({
			status: 400,
			json: { fields: expect.arrayContaining([expect.objectContaining({ line: 12, column: error?.column })]) },
		});
		expect((await policy(["lint", file("cap.yaml", source)])).out).toContain(error?.message);
	});

	it("publishes changes based on the shown version, shows the difference, and does not overwrite another person's", async () => {
		const mine = file("mine.yaml", shown.replace("instanceHours: 1", "instanceHours: 2"));
		const printed = await policy(["diff", mine]);
		expect(printed).toMatchObject({ code: 0, out: expect.stringMatching(/changed life\n {2}- .*1h.*\n {2}\+ .*2h/) });
		expect((await policy(["diff", mine, "--text"])).out).toMatch(/^- .*instanceHours: 1.*\n\+ .*instanceHours: 2/m);
		expect(await policy(["publish", mine])).toMatchObject({ code: 2, err: expect.stringContaining("-m is missing") });
		expect(await policy(["publish", mine, "-m", "longer"])).toMatchObject({ code: 0, out: "default v2 is in force\n" });
		expect((await world.get("/policies/default")).json.source).not.toContain("# default v1");
		const theirs = file("theirs.yaml", shown.replace("10s", "20s"));
		const stale = await policy(["publish", theirs, "-m", "later"]);
		expect(stale).toMatchObject({ code: 5, out: "" });
		expect(stale.err).toMatch(/life: changed to/);
		expect(stale.err).toMatch(/platform published version 2 at \S+; yours began from version 1\./);
		expect(await policy(["apply", mine])).toMatchObject({ code: 0, out: "default v2 is already in force: nothing changed\n" });
		expect(await policy(["rollback", "1", "-m", "as it was"])).toMatchObject({ code: 0, out: "default v1 is in force\n" });
		expect((await policy(["versions"])).out).toMatch(/v2 .*longer\n\s+v1 +in force .*test/);
		expect((await policy(["log"])).out).toMatch(/v1, in force\n.*published.*\n.*rolled back to .* by platform/);
	});

	it("apply --git records what git reports about the file, and only accepts committed changes", async () => {
		const name = file("policy.yaml", shown.replace("instanceHours: 1", "instanceHours: 4"));
		git("init", "-q", "-b", "main");
		expect(await policy(["apply", name, "--git"])).toMatchObject({ code: 2, err: expect.stringContaining("git rev-parse HEAD failed") });
		git("add", name);
		git("commit", "-q", "-m", "a policy");
		git("remote", "add", "origin", "https://robot:s3cret@example.test/infra.git");
		expect(await policy(["apply", name, "--git"])).toMatchObject({ code: 0, out: "default v3 is in force\n" });
		const { managedBy, origin, message } = (await world.get("/policies/default")).json;
		expect(managedBy).toEqual({ kind: "git", repository: "https://example.test/infra.git", path: "policy.yaml" });
		expect(origin.commit).toBe(git("rev-parse", "HEAD"));
		expect(message).toBe(`As committed in ${origin.commit.slice(0, 12)}`);
		file(name, shown);
		expect(await policy(["publish", name, "--base", "3", "-m", "by hand"])).toMatchObject({
			code: 4,
			err: expect.stringContaining("managed in Git: policy.yaml in"),
		});
		expect(await policy(["apply", name, "--git"])).toMatchObject({ code: 2, err: expect.stringContaining("has uncommitted changes") });
		expect(await policy(["unmanage"])).toMatchObject({ code: 0, out: expect.stringContaining("can be edited here again") });
	});

	it("removes secrets from a remote's address", () => {
		expect(withoutSecret("https://token@example.test/a.git")).toBe("https://example.test/a.git");
		expect(withoutSecret("git@example.test:a.git")).toBe("git@example.test:a.git");
		expect(withoutSecret("ssh://git:pw@example.test/a@b")).toBe("ssh://example.test/a@b");
	});
});
