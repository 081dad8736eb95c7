import { expect, test } from "vitest";
import { shareNextCall } from "./share-next-call.ts";

test("calls made during a request share the next one, and none gets a response that was requested before it", async () => {
	const begun: PromiseWithResolvers<string>[] = [];
	const ask = shareNextCall(() => {
		const answer = Promise.withResolvers<string>();
		begun.push(answer);
		return answer.promise;
	});
	const first = ask();
	await expect.poll(() => begun.length).toBe(1);
	const [second, third] = [ask(), ask()];
	begun[0]?.resolve("one");
	expect(await first).toBe("one");
	await expect.poll(() => begun.length).toBe(2);
	begun[1]?.resolve("two");
	expect(await Promise.all([second, third])).toEqual(["two", "two"]);
	expect(begun).toHaveLength(2);
});

test("a failed response is returned to its callers, and the next call requests again", async () => {
	const answers = [() => Promise.reject(new Error("away")), () => Promise.resolve(7)];
	const ask = shareNextCall(() => answers.shift()?.() ?? Promise.reject(new Error("asked too often")));
	const [first, same] = [ask(), ask()];
	await expect(first).rejects.toThrow("away");
	await expect(same).rejects.toThrow("away");
	expect(await ask()).toBe(7);
});
