import { describe, expect, it } from "vitest";
import { registry } from "#server/services/core/process-metrics.ts";
import { timedDriver } from "./timed-driver.ts";

class Driver {
	readonly siteId = "site-of-the-test";
	readonly #secret = 7;
	list(more: number): Promise<number> {
		return Promise.resolve(this.#secret + more);
	}
	launch(): Promise<never> {
		return Promise.reject(new Error("no capacity"));
	}
	checkpointFolder(): string {
		return "/folder";
	}
}

describe("a timed driver", () => {
	it("answers as the driver does, and counts calls by outcome", async () => {
		const driver = timedDriver(new Driver());
		expect(await driver.list(3)).toBe(10);
		await expect(driver.launch()).rejects.toThrow("no capacity");
		expect(driver.checkpointFolder()).toBe("/folder");
		expect(driver.siteId).toBe("site-of-the-test");
		const text = await registry.metrics();
		const counted = (call: string, outcome: string) =>
			text
				.split("\n")
				.some(
					(line) =>
						line.startsWith("spillway_driver_call_duration_seconds_count{") &&
						[`call="${call}"`, `site="site-of-the-test"`, `outcome="${outcome}"`, "} 1"].every((part) => line.includes(part)),
				);
		expect([counted("list", "ok"), counted("launch", "error"), text.includes('call="checkpointFolder"')]).toEqual([true, true, false]);
	});
});
