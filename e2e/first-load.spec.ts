import { expect, type Page } from "@playwright/test";
import { eventually } from "./support/eventually.ts";
import { open, test } from "./support/people.ts";
import { rest } from "./support/rest.ts";

/** Compressed, for one screen opened with an empty cache. */
const LIMIT_BYTES = 250_000;
/** Including what loads after the page, such as Recharts. */
const TOTAL_LIMIT_BYTES = 390_000;

const SCREENS: [title: string | RegExp, path: string][] = [
	["Overview", "/"],
	["Jobs", "/jobs"],
	["New job", "/jobs/new"],
	["Spend", "/spend"],
	["Capacity", "/sites"],
	["Policies", "/policies"],
];

for (const [title, path] of SCREENS) {
	test(`${path} loads at most ${LIMIT_BYTES / 1_000} kB of JavaScript`, async ({ page }) => {
		await open(page, path, title);
		await expectSmall(page, path);
	});
}

for (const section of ["", "/logs", "/decision", "/cost", "/metrics", "/files"]) {
	test(`/jobs/[id]${section} loads at most ${LIMIT_BYTES / 1_000} kB of JavaScript`, async ({ page }) => {
		const [job] = await rest.jobs("state=succeeded&limit=1");
		await open(page, `/jobs/${job?.id}${section}`, new RegExp(job?.name ?? "a job of the demo"));
		await expectSmall(page, `/jobs/[id]${section}`);
	});
}

async function expectSmall(page: Page, path: string): Promise<void> {
	await page.waitForLoadState("load");
	let before: string[] = [];
	const scripts = await eventually(
		"no further script is asked for",
		() => loadedScripts(page),
		(now) => {
			const settled = now.length > 0 && now.length === before.length;
			before = now.map(({ name }) => name);
			return settled;
		},
	);
	// Scripts of the first load are named in the page's HTML; they import the others later.
	const html = await (await page.request.get(page.url())).text();
	const sum = (of: Script[]) => of.reduce((total, { encodedBytes }) => total + encodedBytes, 0);
	const bytes = sum(scripts.filter(({ name }) => html.includes(name.slice(name.lastIndexOf("/") + 1))));
	const total = sum(scripts);
	const listed = scripts.toSorted((a, b) => b.encodedBytes - a.encodedBytes).map(({ name, encodedBytes }) => `${encodedBytes} ${name}`);
	test.info().annotations.push({
		type: "first-load JavaScript",
		description: `${path}: ${(bytes / 1_000).toFixed(1)} kB, ${(total / 1_000).toFixed(1)} kB with later scripts, ${scripts.length} files`,
	});
	expect(scripts.every(({ encodedBytes, decodedBytes }) => encodedBytes > 0 && encodedBytes <= decodedBytes)).toBe(true);
	expect(bytes, listed.join("\n")).toBeLessThanOrEqual(LIMIT_BYTES);
	expect(bytes).toBeGreaterThan(0);
	expect(total, listed.join("\n")).toBeLessThanOrEqual(TOTAL_LIMIT_BYTES);
}

interface Script {
	name: string;
	encodedBytes: number;
	decodedBytes: number;
}

/** Every script file loaded, whether by a tag, a preload or another script. */
function loadedScripts(page: Page): Promise<Script[]> {
	return page.evaluate(() =>
		performance
			.getEntriesByType("resource")
			.filter((entry) => entry instanceof PerformanceResourceTiming)
			.filter(({ name }) => new URL(name).pathname.endsWith(".js"))
			.map(({ name, encodedBodySize, decodedBodySize }) => ({
				name: new URL(name).pathname,
				encodedBytes: encodedBodySize,
				decodedBytes: decodedBodySize,
			})),
	);
}
