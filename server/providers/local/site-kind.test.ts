import { expect, it } from "vitest";
import { localSiteKind } from "./site-kind.ts";

const kindOn = (host: string, accelerator = "L40S-48GB", home = import.meta.dirname) =>
	localSiteKind({ host, settings: { home, slots: 2, accelerator }, isKnown: (name) => name === "L40S-48GB" });
const PLACE = { siteId: "local", settings: {}, credentials: null, controlPlane: "spw-test" };

async function outcomes(kind: ReturnType<typeof kindOn>): Promise<Record<string, string>> {
	const steps: Record<string, string> = {};
	for await (const step of kind.check(PLACE)) steps[step.id] = `${step.outcome}: ${step.found}`;
	return steps;
}

it("checks the address, the accelerator and the work folder", async () => {
	expect(await outcomes(kindOn("127.0.0.1"))).toEqual({
		host: "passed: Spillway listens on 127.0.0.1 only.",
		pools: "passed: 2 × L40S-48GB, as set by SPILLWAY_LOCAL_SLOTS and SPILLWAY_LOCAL_ACCELERATOR.",
		folder: `passed: ${import.meta.dirname} is writable.`,
		user: expect.stringMatching(/^passed: Each job has|^unknown: .* can read its secrets/),
	});
	expect(await outcomes(kindOn("::1", "L41", "/no/such/folder"))).toMatchObject({
		pools: "failed: L41 is not a known accelerator.",
		folder: expect.stringMatching(/^failed: .*no such file/),
	});
});

it("is neither checked nor opened on an address that others can reach", async () => {
	const kind = kindOn("0.0.0.0");
	expect(await outcomes(kind)).toMatchObject({
		host: expect.stringMatching(/^failed: .*own user/),
		pools: expect.stringMatching(/^skipped/),
	});
	expect(() => kind.open(PLACE)).toThrow("only for loopback");
});

it("accepts no setting that runs a program or names a file", () => {
	expect(kindOn("127.0.0.1").settings.safeParse({ gridZone: "DE", speeds: { local: 2 } }).success).toBe(true);
	expect(kindOn("127.0.0.1").settings.safeParse({ home: "/" }).success).toBe(false);
});

it("checks that the folders of mounts exist", async () => {
	const stepOf = async (source: string) => {
		const settings = { mounts: [{ name: "imagenet", type: "local", source }] };
		for await (const step of kindOn("127.0.0.1").check({ ...PLACE, settings }))
			if (step.id === "mounts") return `${step.outcome}: ${step.found}`;
		return null;
	};
	expect(await stepOf(import.meta.dirname)).toBe("passed: Found: imagenet.");
	expect(await stepOf("/no/such/folder")).toBe("failed: /no/such/folder does not exist.");
	expect(kindOn("127.0.0.1").settings.safeParse({ mounts: [{ name: "a", type: "nfs", source: "host:/a" }] }).success).toBe(false);
});
