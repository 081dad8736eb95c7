// The folder trigger of the examples: three drops of files, the second written in pieces, and a scheduler that is killed meanwhile.
import { appendFileSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { root } from "../lib/node.mjs";

const FILES = [1, 2, 3];
const PIECES = 4;
/** Shorter than the trigger's quiet period of ten seconds, and all pieces together longer. */
const PIECE_MS = 4_000;

/** @type {(demo: import("./demo.mjs").Demo, expect: (holds: boolean, promise: string) => void) => Promise<object>} */
export async function walkDrops(demo, expect) {
	const folder = path.join(demo.folder, "trigger");
	const drop = path.join(folder, "drop");
	mkdirSync(drop, { recursive: true });
	copyFileSync(path.join(root, "examples/pipelines/on-drop.yaml"), path.join(folder, "on-drop.yaml"));
	const { id } = await demo.cli("trigger", "apply", "--json", "-f", path.join(folder, "on-drop.yaml"));
	const fileOf = (number, file) => path.join(drop, `sales-${number}-${file}.csv`);
	const completeAt = [];

	for (const file of FILES) writeFileSync(fileOf(1, file), readFileSync(path.join(root, "package.json")));
	completeAt.push(Date.now());
	await firings(demo, id, 1);

	for (let piece = 1; piece <= PIECES; piece++) {
		for (const file of FILES) appendFileSync(fileOf(2, file), `piece ${piece}\n`);
		if (piece === 2) await demo.killScheduler();
		if (piece < PIECES) await sleep(PIECE_MS);
	}
	completeAt.push(Date.now());
	await firings(demo, id, 2);

	for (const file of FILES) writeFileSync(fileOf(3, file), "whole\n");
	completeAt.push(Date.now());
	await demo.until("the third drop fires", async () => (await triggerOf(demo, id)).firings.length >= 3);
	await demo.killScheduler();
	const seen = await firings(demo, id, 3);
	// Another firing would come with the next checks.
	const { checkedAt } = await triggerOf(demo, id);
	await demo.until(
		"the folder is checked again",
		async () => Date.parse((await triggerOf(demo, id)).checkedAt) > Date.parse(checkedAt) + 15_000,
	);

	const all = (await triggerOf(demo, id)).firings.toReversed();
	expect(all.length === 3, "each complete drop fires once");
	expect(
		all.every(({ saw }) => saw.files === FILES.length),
		"each firing sees the files of its drop",
	);
	expect(
		all.every(({ at }, index) => Date.parse(at) >= completeAt[index]),
		"no drop fires before it is complete",
	);
	expect(
		seen.every(({ pipelineState }) => pipelineState === "succeeded"),
		"each firing's pipeline succeeds",
	);
	const secondsAfter = all.map(({ at }, index) => (Date.parse(at) - completeAt[index]) / 1000);
	return { drops: completeAt.length, firings: all.length, files: all.map(({ saw }) => saw.files), secondsAfterLastWrite: secondsAfter };
}

async function triggerOf(demo, id) {
	return (await demo.get("/triggers")).items.find((one) => one.id === id);
}

/** Waits until so many firings and their pipelines have ended. */
function firings(demo, id, count) {
	return demo.until(`drop ${count} is used`, async () => {
		const { firings } = await triggerOf(demo, id);
		const isOver = firings.length >= count && firings.every(({ error, pipelineState }) => error !== null || pipelineState !== "running");
		return isOver && firings;
	});
}
