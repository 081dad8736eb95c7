import { gunzipSync, gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { encodeFile } from "./encode-file.ts";

const TEXT = "BilledCost,BillingCurrency\n".repeat(10_000);

it("compresses a file, and leaves a compressed one alone", async () => {
	const encoded = await encodeFile(new Blob([TEXT]));
	expect(encoded.length).toBeLessThan(TEXT.length / 50);
	expect(gunzipSync(Buffer.from(encoded, "base64")).toString()).toBe(TEXT);
	const gzip = gzipSync(TEXT);
	expect(Buffer.from(await encodeFile(new Blob([gzip])), "base64")).toEqual(gzip);
});
