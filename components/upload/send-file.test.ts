import { gunzipSync, gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { type FilePart, sendFile } from "./send-file.ts";

const TEXT = "BilledCost,BillingCurrency\n".repeat(10_000);

async function sent(bytes: BlobPart) {
	const parts: FilePart[] = [];
	const shares: number[] = [];
	const send = async (part: FilePart) => {
		parts.push(part);
		return { id: "upl_1" };
	};
	const id = await sendFile(new File([bytes], "bill.csv"), send, (share) => shares.push(share));
	return { id, parts, shares, content: Buffer.concat(parts.map(({ contentBase64 }) => Buffer.from(contentBase64, "base64"))) };
}

it("compresses a file, and leaves a compressed one alone", async () => {
	const { content, parts } = await sent(TEXT);
	expect(content.length).toBeLessThan(TEXT.length / 50);
	expect(gunzipSync(content).toString()).toBe(TEXT);
	expect(parts).toMatchObject([{ name: "bill.csv", at: 0 }]);
	const gzip = gzipSync(TEXT);
	expect((await sent(gzip)).content).toEqual(gzip);
});

it("sends a large file in parts that follow each other", async () => {
	const random = Buffer.concat([Buffer.from([0x1f, 0x8b]), crypto.getRandomValues(Buffer.alloc(65_536))]);
	const large = Buffer.concat(Array.from({ length: 50 }, () => random));
	const { id, parts, shares, content } = await sent(large);
	expect(content.equals(large)).toBe(true);
	expect(parts.map(({ upload, at }) => [upload, at])).toEqual([
		[undefined, 0],
		["upl_1", 3 * 1024 ** 2],
	]);
	expect([id, shares.at(-1)]).toEqual(["upl_1", 1]);
	expect(shares).toEqual([...shares].sort());
});

it("refuses an empty compressed file", async () => {
	await expect(
		sendFile(
			new File([], "empty.gz"),
			() => Promise.reject(new Error("not sent")),
			() => {},
		),
	).rejects.toThrow("not sent");
});
