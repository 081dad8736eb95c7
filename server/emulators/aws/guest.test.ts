import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { RunInstancesCommand, type RunInstancesCommandInput, TerminateInstancesCommand } from "@aws-sdk/client-ec2";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { findGuestProcesses, startOf } from "../shared/guest/processes.ts";
import { eventually } from "../shared/testing/eventually.ts";
import type { BookedEc2Instance } from "./booked-instances.ts";
import { launchOf, startTestEmulator, type TestEmulator } from "./testing/fixture.ts";

let emulator: TestEmulator;
beforeAll(async () => {
	emulator = await startTestEmulator({ guestStopGraceMs: 300 });
});
afterAll(() => emulator.dispose());

function bookOf(id: string): BookedEc2Instance {
	const booked = emulator.instances().find(({ instanceId }) => instanceId === id);
	if (!booked) throw new Error(`${id} is not in the book`);
	return booked;
}

async function launch(script: string, overrides: Partial<RunInstancesCommandInput> = {}): Promise<string> {
	const { Instances = [] } = await emulator.client().send(new RunInstancesCommand(launchOf(overrides, script)));
	return Instances[0]?.InstanceId ?? "";
}

/** What the guest wrote into a file of its folder, once the line is complete. */
function written(id: string, file: string): Promise<string> {
	return eventually(`${file} of ${id}`, () => {
		const path = join(bookOf(id).folder, file);
		const text = existsSync(path) ? readFileSync(path, "utf8") : "";
		return text.endsWith("\n") ? text.trimEnd() : null;
	});
}

const terminate = (id: string) => emulator.client().send(new TerminateInstancesCommand({ InstanceIds: [id] }));
const terminated = (id: string) => eventually(`${id} to be terminated`, () => bookOf(id).state === "terminated");

describe("a guest", () => {
	it("executes its user-data in its own folder and environment", async () => {
		const id = await launch(
			'#!/bin/sh\necho "out"; echo "err" >&2\necho data > "$TMPDIR/x"\nenv | cut -d= -f1 | grep -v "^_$\\|PWD\\|SHLVL" | sort > names\necho "$HOME" > home\n',
		);
		const { folder } = bookOf(id);
		expect(await written(id, "home")).toBe(folder);
		expect(readFileSync(join(folder, "names"), "utf8").trim().split("\n")).toEqual([
			"AWS_EC2_METADATA_SERVICE_ENDPOINT",
			"HOME",
			"PATH",
			"SPILLWAY_CONTAINER_ENGINE",
			"SPILLWAY_PER_BOOT_FOLDER",
			"TMPDIR",
		]);
		expect(readFileSync(join(folder, "tmp/x"), "utf8")).toBe("data\n");
		expect(await written(id, "console.log")).toContain("out\nerr");
	});

	it("accepts any interpreter and compressed user-data", async () => {
		const script = '#!/usr/bin/env node\nrequire("node:fs").writeFileSync("answer", String(6 * 7) + "\\n");\n';
		const id = await launch("", { UserData: gzipSync(script).toString("base64") });
		expect(await written(id, "answer")).toBe("42");
	});

	it("stays on when its user-data has finished, and is billed for it", async () => {
		const id = await launch("#!/bin/sh\necho done > done\n");
		await written(id, "done");
		await eventually("the end of the user-data", () => startOf(bookOf(id).guestPid ?? 0) === null);
		expect(bookOf(id)).toMatchObject({ state: "running", billedSeconds: 60 });
	});

	it("executes nothing without a shebang or interpreter, reports it, and keeps running", async () => {
		const cloudConfig = await launch("#cloud-config\nruncmd: [touch, x]\n");
		expect(await written(cloudConfig, "console.log")).toContain("no shebang");
		const missing = await launch("#!/no/such/interpreter\n");
		expect(await written(missing, "console.log")).toContain("could not be executed");
		expect(bookOf(missing)).toMatchObject({ state: "running", guestPid: null });
	});
});

describe("termination", () => {
	it("lets the guest clean up after SIGTERM", async () => {
		const patient = await startTestEmulator({ guestStopGraceMs: 240_000 });
		onTestFinished(() => patient.dispose());
		const script = "#!/bin/sh\ntrap 'echo saved > saved; exit 0' TERM\necho up > up\nwhile :; do sleep 0.05; done\n";
		const { Instances = [] } = await patient.client().send(new RunInstancesCommand(launchOf({}, script)));
		const id = Instances[0]?.InstanceId ?? "";
		const booked = () => patient.instances().find(({ instanceId }) => instanceId === id);
		const read = (file: string) => readFileSync(join(booked()?.folder ?? "", file), "utf8");
		await eventually("the guest", () => existsSync(join(booked()?.folder ?? "", "up")));
		await patient.client().send(new TerminateInstancesCommand({ InstanceIds: [id] }));
		await eventually("the end of the guest", () => booked()?.state === "terminated");
		expect(read("saved")).toBe("saved\n");
	});

	it("leaves no process: those that ignore SIGTERM, those in groups and their own sessions, those with a cleared environment", async () => {
		const loop = "trap '' TERM; while :; do sleep 0.05; done";
		const id = await launch(
			`#!/bin/sh\n${[
				`sh -c "${loop}" & echo $! > pids`,
				`setsid sh -c "${loop}" & echo $! >> pids`,
				`setsid env -i sh -c "${loop}" & echo $! >> pids`,
				`env -i sh -c "${loop}" & echo $! >> pids`,
				`(setsid sh -c "${loop}" & echo $! >> pids) &`,
				"while [ $(wc -l < pids) -lt 5 ]; do sleep 0.02; done",
				"echo up > up",
				loop,
			].join("\n")}\n`,
		);
		await written(id, "up");
		const pids = (await written(id, "pids")).split("\n").map(Number);
		expect(pids.every((pid) => startOf(pid) !== null)).toBe(true);
		const { guestPid } = bookOf(id);
		expect(findGuestProcesses({ sessionId: guestPid, secret: "none" }).length).toBeGreaterThan(2);
		await terminate(id);
		expect(bookOf(id).state).toBe("shutting-down");
		await terminated(id);
		expect([guestPid ?? 0, ...pids].filter((pid) => startOf(pid) !== null)).toEqual([]);
	});

	it("applies before the start: a pending machine never executes its user-data", async () => {
		emulator.faults.add({ action: "RunInstances", behaviour: { kind: "slow_boot", durationMs: 600_000 } });
		const id = await launch("#!/bin/sh\necho up > up\n");
		await terminate(id);
		await terminated(id);
		expect(bookOf(id)).toMatchObject({ runningAt: null, billedSeconds: 0, guestPid: null });
		const later = await launch("#!/bin/sh\necho up > up\n");
		await written(later, "up");
		expect(existsSync(join(bookOf(id).folder, "up"))).toBe(false);
	});
});

describe("shutdown inside the guest", () => {
	it.each(["shutdown -h now", "shutdown -P +0", "poweroff"])("%s ends a machine that is set to terminate", async (command) => {
		const id = await launch(`#!/bin/sh\n${command}\nwhile :; do sleep 0.05; done\n`, { InstanceInitiatedShutdownBehavior: "terminate" });
		await terminated(id);
		expect(bookOf(id).stateReasonCode).toBe("Client.InstanceInitiatedShutdown");
		expect(startOf(bookOf(id).guestPid ?? 0)).toBeNull();
	});

	it("stops a machine that is set to stop, which can then be terminated", async () => {
		const id = await launch("#!/bin/sh\npoweroff\n");
		await eventually("stopped", () => bookOf(id).state === "stopped");
		const { runningMs } = bookOf(id);
		await terminate(id);
		await terminated(id);
		expect(bookOf(id).runningMs).toBe(runningMs);
	});

	it("can be delayed and cancelled, and its timer ends with the machine", async () => {
		const id = await launch(
			"#!/bin/sh\nshutdown -h +60 > first\ncp .scheduled-shutdown first-pid\nshutdown -c\nshutdown +90 > second\ncp .scheduled-shutdown second-pid\necho >> second-pid\n",
			{ InstanceInitiatedShutdownBehavior: "terminate" },
		);
		const second = Number(await written(id, "second-pid"));
		const first = Number(readFileSync(join(bookOf(id).folder, "first-pid"), "utf8"));
		expect(readFileSync(join(bookOf(id).folder, "second"), "utf8")).toMatch(/^Shutdown scheduled for \d{4}-/);
		await eventually("the first to end", () => startOf(first) === null);
		expect(startOf(second)).not.toBeNull();
		expect(bookOf(id).state).toBe("running");
		await terminate(id);
		await terminated(id);
		expect(startOf(second)).toBeNull();
	});

	it("rejects what an emulated machine cannot do", async () => {
		const id = await launch("#!/bin/sh\nshutdown -r now 2> refused; echo $? > code\nshutdown 23:00 2>> refused\necho done > done\n");
		await written(id, "done");
		expect(await written(id, "code")).toBe("1");
		expect(await written(id, "refused")).toMatch(/-r is not available[\s\S]*23:00/);
		expect(bookOf(id).state).toBe("running");
	});
});
