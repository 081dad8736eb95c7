import { readFileSync } from "node:fs";
import path from "node:path";
import { test as base, expect, type Page, request } from "@playwright/test";
import { z } from "zod";
import { BASE_URL, HOME } from "./system.ts";

const accounts = z.array(z.object({ password: z.string() }));
/** The password of the demo accounts, generated at the first start. @param home state folder */
export function demoPassword(home: string): string {
	return accounts.parse(JSON.parse(readFileSync(path.join(home, "demo-accounts.json"), "utf8")))[0]?.password ?? "";
}
export const PASSWORD = demoPassword(HOME);
export const PEOPLE = {
	platform: "platform@demo.spillway",
	scientist: "scientist@demo.spillway",
	finance: "finance@demo.spillway",
} as const;
export type Person = keyof typeof PEOPLE;

type StorageState = Awaited<ReturnType<Awaited<ReturnType<typeof request.newContext>>["storageState"]>>;
const signedIn = new Map<Person, Promise<StorageState>>();

/** Signs in with the same calls as the form, once for each person and worker. */
export function sessionOf(person: Person): Promise<StorageState> {
	const known = signedIn.get(person) ?? signIn(person);
	signedIn.set(person, known);
	return known;
}

/** Signing out ends every session of the account: the next test signs in again. */
export function clearSession(person: Person): void {
	signedIn.delete(person);
}

/** @param system the installation's address, and the password of its demo accounts */
export async function signIn(person: Person, { url, password } = { url: BASE_URL, password: PASSWORD }): Promise<StorageState> {
	const context = await request.newContext({ baseURL: url });
	try {
		const { csrfToken } = z.object({ csrfToken: z.string() }).parse(await (await context.get("/api/auth/csrf")).json());
		const answer = await context.post("/api/auth/callback/credentials", {
			form: { csrfToken, email: PEOPLE[person], password, callbackUrl: url },
			maxRedirects: 0,
		});
		const state = await context.storageState();
		if (!state.cookies.some(({ name }) => name.includes("session-token")))
			throw new Error(`${person} could not sign in: ${answer.status()} ${answer.headers()["location"] ?? (await answer.text())}`);
		return state;
	} finally {
		await context.dispose();
	}
}

/** `test` with a `page` of a signed-in person; `test.use({ person: "finance" })` selects the person; null: signed out. */
export const test = base.extend<{ person: Person | null }>({
	person: ["platform", { option: true }],
	storageState: async ({ person }, use) => use(person === null ? { cookies: [], origins: [] } : await sessionOf(person)),
	page: async ({ page }, use) => {
		const { goto, reload } = page;
		page.goto = async (...args) => {
			const answer = await goto.apply(page, args);
			await waitForControls(page);
			return answer;
		};
		page.reload = async (...args) => {
			const answer = await reload.apply(page, args);
			await waitForControls(page);
			return answer;
		};
		await use(page);
	},
});

/** Waits until React has hydrated every control of the page: on a slow machine, earlier clicks and keys do nothing. */
export async function waitForControls(page: Page): Promise<void> {
	await page.waitForFunction(() =>
		[...document.querySelectorAll("main button, main input:not([type='hidden']), main select, main textarea")].every((control) =>
			Object.keys(control).some((key) => key.startsWith("__reactProps$")),
		),
	);
}

/** Opens a screen and waits for its title, so that later steps run on the intended screen. */
export async function open(page: Page, path: string, title: string | RegExp): Promise<void> {
	await page.goto(path);
	await waitForControls(page);
	await expect(page.getByRole("heading", { level: 1, name: title })).toBeVisible();
}
