/**
 * Time from a click in the navigation to the painted content of the screen: `npm run bench:screens [-- --json] [--rounds N]`.
 * The demo company against the web server of the production build, without a scheduler, in one browser of 1440 × 900 px. Content is
 * painted when the title has changed and no skeleton is left. Each round loads Overview and opens every other screen three times:
 * at once, again, and, after another load of Overview, with the pointer resting on the link before the click.
 */
import { randomUUID } from "node:crypto";
import os from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { chromium, type Page } from "@playwright/test";
import { CHROMIUM_ARGS, findChromium } from "../scripts/lib/chromium.mjs";
import { print, quantile, round } from "./lib/figures.ts";
import { startSystem } from "./lib/system.ts";

const { values: args } = parseArgs({ options: { json: { type: "boolean", default: false }, rounds: { type: "string", default: "5" } } });
const REST_MS = 150;
/** Lets what a screen fetches after its content finish, as when a person looks at it. */
const LOOK_MS = 600;
const LIMIT_MS = 20_000;
const PASSWORD = randomUUID();
const VISITS = ["first", "again", "rested"] as const;
type Visit = (typeof VISITS)[number];

/** Runs in the page: clicks the link and returns the milliseconds until a frame has painted the content. */
function openScreen({ href, limitMs }: { href: string; limitMs: number }): Promise<number> {
	const link = document.querySelector<HTMLAnchorElement>(`nav[aria-label="Screens"] a[href="${href}"]`);
	if (!link) throw new Error(`no link to ${href} in the navigation`);
	const title = () => document.querySelector("main h1")?.textContent;
	const before = title();
	const isPainted = () =>
		title() !== before && ![...document.querySelectorAll("main .animate-skeleton")].some((element) => element.checkVisibility());
	const clickedMs = performance.now();
	link.click();
	return new Promise((resolve, reject) => {
		const look = () => {
			const elapsedMs = performance.now() - clickedMs;
			if (elapsedMs > limitMs) reject(new Error(`${href} was not complete after ${limitMs} ms`));
			else if (isPainted()) requestAnimationFrame(() => resolve(performance.now() - clickedMs));
			else requestAnimationFrame(look);
		};
		requestAnimationFrame(look);
	});
}

async function loadOverview(page: Page): Promise<void> {
	await page.goto("/");
	await page.locator("main .animate-skeleton").first().waitFor({ state: "detached" });
	await sleep(4 * LOOK_MS);
}

const { executable } = findChromium(process.execPath);
const system = await startSystem({ scheduler: false, company: { password: PASSWORD } });
const browser = await chromium.launch({ executablePath: executable, args: CHROMIUM_ARGS });
try {
	const page = await browser.newPage({ baseURL: system.url, viewport: { width: 1440, height: 900 }, reducedMotion: "reduce" });
	await page.goto("/sign-in");
	await page.getByLabel("Email address").fill("platform@demo.spillway");
	await page.getByLabel("Password").fill(PASSWORD);
	await page.getByRole("button", { name: "Sign in", exact: true }).click();
	await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
	const links = await page.locator('nav[aria-label="Screens"]').first().locator("a").all();
	const hrefs = await Promise.all(links.map(async (link) => (await link.getAttribute("href")) ?? "/"));
	const others = hrefs.filter((href) => href !== "/");
	const open = async (href: string): Promise<number> => {
		const ms = await page.evaluate(openScreen, { href, limitMs: LIMIT_MS });
		await sleep(LOOK_MS);
		return ms;
	};
	const times = new Map<string, Record<Visit, number[]>>(others.map((href) => [href, { first: [], again: [], rested: [] }]));
	for (let n = 0; n <= Number(args.rounds); n++) {
		// The first round loads the server's own programs and is not counted.
		const record = (href: string, visit: Visit, ms: number) => n > 0 && times.get(href)?.[visit].push(ms);
		await loadOverview(page);
		for (const visit of ["first", "again"] as const) for (const href of others) record(href, visit, await open(href));
		await loadOverview(page);
		for (const href of others) {
			await page.hover(`nav[aria-label="Screens"] a[href="${href}"]`);
			await sleep(REST_MS);
			record(href, "rested", await open(href));
		}
	}
	const all = [...times.values()];
	const figures = VISITS.flatMap((visit) => {
		const ms = all.flatMap((one) => one[visit]);
		return [
			[`${visit}P50Ms`, round(quantile(ms, 0.5))],
			[`${visit}P95Ms`, round(quantile(ms, 0.95))],
		] as const;
	});
	const screens = [...times].map(
		([href, one]) => [href, VISITS.map((visit) => Math.round(quantile(one[visit], 0.5))).join(" / ")] as const,
	);
	print(args.json, "From the click to the painted screen (medians of each screen: first / again / rested, ms)", {
		...Object.fromEntries(screens),
		...Object.fromEntries(figures),
		...{ visits: all.length * Number(args.rounds), load: round(os.loadavg()[0] ?? 0), cores: os.cpus().length },
	});
} finally {
	await browser.close();
	await system.stop();
}
