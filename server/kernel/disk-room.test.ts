import { Readable } from "node:stream";
import { expect, it, vi } from "vitest";
import { freeBytes, watchDiskRoom, whileRoom } from "./disk-room.ts";

const MIB = 1024 * 1024;
const WAITING = { timeout: 600_000, interval: 5 };

it("reports no room below the reserve, and recovers at a quarter more", async () => {
	const stop = new AbortController();
	let free = 300 * MIB;
	const room = await watchDiskRoom({ folder: "/data", reserveBytes: 256 * MIB, signal: stop.signal, free: async () => free, lookMs: 5 });
	expect(room.problem()).toBeNull();
	room.demand();
	free = 255 * MIB;
	await vi.waitUntil(() => room.problem() !== null, WAITING);
	expect(room.problem()).toBe("The disk of /data has 255 MiB left. Spillway accepts changes again at 320 MiB.");
	expect(() => room.demand()).toThrow(room.problem() ?? "");
	free = 300 * MIB;
	await vi.waitUntil(() => room.problem()?.includes("300 MiB left") === true, WAITING);
	free = 320 * MIB;
	await vi.waitUntil(() => room.problem() === null, WAITING);
	stop.abort();
});

it("assumes that a folder that cannot be measured has room", async () => {
	const stop = new AbortController();
	const room = await watchDiskRoom({ folder: "/nowhere/at/all", reserveBytes: MIB, signal: stop.signal });
	expect(room.problem()).toBeNull();
	stop.abort();
	expect(await freeBytes("/")).toBeGreaterThan(0);
});

it("stops a body once there is no room, and leaves its connection open for the answer", async () => {
	const body = Readable.from([Buffer.from("a"), Buffer.from("b"), Buffer.from("c")]);
	const seen: string[] = [];
	const demand = () => {
		if (seen.length === 2) throw new Error("no room");
	};
	const reading = async () => {
		for await (const chunk of whileRoom({ problem: () => null, demand }, body)) seen.push(String(chunk));
	};
	await expect(reading()).rejects.toThrow("no room");
	expect([seen, body.destroyed]).toEqual([["a", "b"], false]);
	expect(await Array.fromAsync(whileRoom(undefined, Readable.from([Buffer.from("d")])), String)).toEqual(["d"]);
});
