import path from "node:path";
import { expect, type Page, test } from "@playwright/test";
import { Demo } from "../scripts/walk/demo.mjs";
import { demoPassword, type Person, signIn } from "./support/people.ts";
import { ROOT } from "./support/system.ts";
import { FINANCE_TASKS } from "./tasks/finance.ts";
import { PLATFORM_TASKS } from "./tasks/platform.ts";
import { SCIENTIST_TASKS } from "./tasks/scientist.ts";
import { writeTasksTable } from "./tasks/table.ts";
import { TaskDemo } from "./tasks/task-demo.ts";
import { EffortMeter, type Task, type WalkedTask, walkTask } from "./tasks/walker.ts";

const CLICKS_MAX = 8;
const TASKS: Record<Person, readonly Task[]> = { scientist: SCIENTIST_TASKS, platform: PLATFORM_TASKS, finance: FINANCE_TASKS };
/** Printed by `npm run walk:tasks`. */
const TABLE = path.join(ROOT, "test-results/tasks.md");

let demo: Demo | undefined;
const walked: WalkedTask[] = [];

/** The demo company, which has an approval to decide, months to close and differences to explain. It has no live traffic. */
test.beforeAll(async () => {
	demo = await Demo.start("quiet");
});
test.afterAll(async () => {
	if (walked.length === Object.values(TASKS).flat().length) writeTasksTable(TABLE, walked);
	await demo?.stop();
});

for (const person of ["scientist", "platform", "finance"] as const) {
	test.describe(person, () => {
		let page: Page;
		let meter: EffortMeter;

		test.beforeAll(async ({ browser }) => {
			if (!demo) throw new Error("The demo has not started.");
			const { url, home } = demo;
			const storageState = await signIn(person, { url, password: demoPassword(home) });
			page = await browser.newPage({ baseURL: url, storageState, viewport: { width: 1440, height: 900 }, reducedMotion: "reduce" });
			meter = await EffortMeter.on(page);
		});
		test.afterAll(() => page.close());

		for (const task of TASKS[person]) {
			test(`${task.title}, in at most ${CLICKS_MAX} clicks`, async () => {
				if (!demo) throw new Error("The demo has not started.");
				const seen = await walkTask(person, task, { page, demo: new TaskDemo(demo) }, meter);
				walked.push(seen);
				expect(seen.clicks).toBeLessThanOrEqual(CLICKS_MAX);
			});
		}
	});
}
