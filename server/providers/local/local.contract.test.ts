import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describeClusterDriverContract } from "../contract/cluster-contract.ts";
import { posixCommand } from "../contract/posix-job.ts";
import { LocalDriver } from "./local-driver.ts";

describeClusterDriverContract("local", async () => {
	const home = await mkdtemp(path.join(tmpdir(), "spillway-local-"));
	// Under root, lets the users of jobs in, as SPILLWAY_HOME does.
	await chmod(home, 0o711);
	const drivers: LocalDriver[] = [];
	const newDriver = () => {
		const driver = new LocalDriver("local", { home, slots: 4, accelerator: "A10G-24GB" });
		drivers.push(driver);
		return driver;
	};
	return {
		driver: newDriver(),
		poolId: "local",
		accelerator: "A10G-24GB",
		slots: 4,
		command: posixCommand,
		passTime: () => sleep(3),
		nowMs: () => Date.now(),
		restart: async () => newDriver(),
		async cleanup() {
			await newDriver().close({ stopJobs: true, graceMs: 0 });
			for (const driver of drivers) await driver.close({ stopJobs: false, graceMs: 0 });
			// Ended supervisors may still be writing their last state.
			await rm(home, { recursive: true, force: true, maxRetries: 10 });
		},
		features: { realProcesses: true, checkpointFolder: true, secretFiles: true },
	};
});
