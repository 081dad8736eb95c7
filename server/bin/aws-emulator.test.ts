import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { DescribeSpotPriceHistoryCommand, RunInstancesCommand } from "@aws-sdk/client-ec2";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { launchOf, newClient } from "#server/emulators/aws/testing/fixture.ts";
import { startOf } from "#server/emulators/shared/guest/processes.ts";
import { eventually } from "#server/emulators/shared/testing/eventually.ts";
import { ANY_PORT, EmulatorProcesses } from "./testing/emulator-processes.ts";

let processes: EmulatorProcesses;
beforeEach(() => {
	processes = new EmulatorProcesses();
});
afterEach(() => processes.end());

const start = (endpoint: string) => processes.start("aws-emulator", [], { SPILLWAY_AWS_ENDPOINT: endpoint });

describe("the emulator's program", () => {
	it("serves the shipped prices, keeps quotas, runs machines, and on SIGTERM leaves none", async () => {
		const { child, exit, endpoint: told } = start(ANY_PORT);
		const endpoint = await told();
		const client = newClient(endpoint, "us-east-1");
		const { SpotPriceHistory = [] } = await client.send(
			new DescribeSpotPriceHistoryCommand({ StartTime: new Date(), InstanceTypes: ["g5.xlarge"] }),
		);
		expect(SpotPriceHistory.length).toBeGreaterThan(1);
		const script = "#!/bin/sh\necho $$ > pid\nwhile :; do sleep 0.1; done\n";
		const { Instances: [instance] = [] } = await client.send(new RunInstancesCommand(launchOf({}, script)));
		const large = launchOf({ InstanceType: "p5.48xlarge", MinCount: 7, MaxCount: 7 });
		await expect(client.send(new RunInstancesCommand(large))).rejects.toMatchObject({ name: "VcpuLimitExceeded" });
		client.destroy();
		const pidFile = join(processes.home, "aws/instances", instance?.InstanceId ?? "", "pid");
		const pid = await eventually("the guest", () => (existsSync(pidFile) ? Number(readFileSync(pidFile, "utf8")) : null));
		child.kill("SIGTERM");
		expect(await exit).toBe(0);
		expect(startOf(pid)).toBeNull();
	});

	it("prints a one-line error when it cannot start", async () => {
		const taken = createServer().listen(0, "127.0.0.1");
		await once(taken, "listening");
		const address = taken.address();
		const port = typeof address === "object" && address ? address.port : 0;
		const onTaken = start(`http://127.0.0.1:${port}`);
		expect(await onTaken.exit).toBe(1);
		expect(await onTaken.errors).toMatch(/port is taken\. .*\n$/);
		taken.close();
		const open = start("http://0.0.0.0:3010");
		expect(await open.exit).toBe(1);
		expect(await open.errors).toMatch(/listens on loopback only/);
	});
});
