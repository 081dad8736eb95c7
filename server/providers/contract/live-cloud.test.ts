import { afterEach, describe, expect, it, vi } from "vitest";
import type { CloudDriver, LaunchRequest } from "../driver.ts";
import { FakeCloud } from "../fake/fake-cloud.ts";
import { fakeOffer } from "../fake/fake-offers.ts";
import { announceLive, counted, type LiveCloud } from "./live-cloud.ts";

const TYPE = "g5.xlarge";
const clock = { nowMs: () => 1_700_000_000_000 };

function aCloud(microUsdPerHour: bigint | null, inSecond = microUsdPerHour): LiveCloud {
	const rate = (region: string, price: bigint | null) => ({ instanceType: TYPE, region, onDemand: { microUsdPerHour: price } });
	return {
		...{ regions: ["us-east-1", "eu-west-1"], instanceType: TYPE },
		rates: [rate("us-east-1", microUsdPerHour), rate("eu-west-1", inSecond)],
		open: () => {
			throw new Error("nothing must be opened");
		},
	};
}

describe("a run of the contract that costs money", () => {
	const said: string[] = [];
	afterEach(() => {
		vi.restoreAllMocks();
		said.length = 0;
	});
	const announced = (cloud: LiveCloud, allowedUsd?: string) => {
		vi.spyOn(process.stderr, "write").mockImplementation((text) => said.push(String(text)) > 0);
		vi.spyOn(vi, "setConfig").mockImplementation(() => {});
		announceLive(cloud, allowedUsd);
		return said.join("");
	};

	it("reports its cost: 19 machines for 4 minutes each at $0.75 an hour are $0.95", () => {
		expect(announced(aCloud(750_000n))).toMatch(
			/at most 19 machines of g5\.xlarge for some 4 minutes each: about \$0\.95, and always deletes them/,
		);
	});

	it("launches nothing above a dollar, in either of its regions, without permission", () => {
		for (const cloud of [aCloud(800_000n), aCloud(1n, 800_000n)]) {
			expect(() => announced(cloud)).toThrow(
				/about \$1\.01\d*; the limit is \$1(\.0+)?, so nothing was created\. .*SPILLWAY_CONTRACT_MOST_USD/,
			);
			expect(said).toEqual([]);
		}
		expect(announced(aCloud(800_000n), "1.02")).toContain("about $1.01");
		expect(() => announced(aCloud(98_320_000n), "100")).toThrow(/the limit is/);
	});

	it("launches nothing with an unknown price, and accepts only an amount as permission", () => {
		expect(() => announced(aCloud(1n, null))).toThrow(/a shipped price of g5\.xlarge in eu-west-1/);
		for (const wrong of ["a lot", "", "-1", "1e3", "1,50"]) expect(() => announced(aCloud(1n), wrong)).toThrow(/dollars, such as 2\.50/);
	});

	it("launches no more machines than announced, and counts repeated launches once", async () => {
		const cloud = new FakeCloud({ clock, regions: ["us-east-1"], offers: [fakeOffer()] });
		const driver: CloudDriver = counted(cloud.driver("aws", "test"), new Set());
		const request = (n: number): LaunchRequest => ({
			...{ instanceId: `ins_${n}`, jobId: "job", attemptId: "att", region: "us-east-1", zone: null, instanceType: TYPE },
			...{ capacityType: "on_demand", userData: "", expiresAtMs: 1 },
		});
		for (let n = 1; n <= 19; n++) await driver.launch(request(n));
		await driver.launch(request(7));
		await expect(driver.launch(request(20))).rejects.toThrow(/more than the 19 machines/);
		expect(cloud.instances()).toHaveLength(19);
	});
});
