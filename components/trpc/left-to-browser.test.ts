import { dehydrate } from "@tanstack/react-query";
import { createTRPCClient } from "@trpc/client";
import { BailoutToCSRError, isBailoutToCSRError } from "next/dist/shared/lib/lazy-dynamic/bailout-to-csr.js";
import { expect, it, vi } from "vitest";
import type { AppRouter } from "#server/api/trpc/router.ts";
import { failuresLeftToBrowser, leftToBrowser } from "./left-to-browser.ts";
import { makeQueryClient } from "./query-client.ts";

it("sends no request during server rendering and signals it so that Next does not log it", async () => {
	const fetched = vi.spyOn(globalThis, "fetch");
	const client = createTRPCClient<AppRouter>({ links: [leftToBrowser] });
	const queries = makeQueryClient();
	// As for a failed prefetch: retried once, immediately.
	const begun = performance.now();
	const error = await queries.fetchQuery({ queryKey: ["sites"], queryFn: () => client.site.list.query() }).catch((e: unknown) => e);
	expect(error).toMatchObject({ message: "site.list is fetched by the browser" });
	expect(isBailoutToCSRError(error)).toBe(true);
	expect(isBailoutToCSRError(new BailoutToCSRError("as Next's own"))).toBe(true);
	expect(performance.now() - begun).toBeLessThan(900);
	expect(fetched).not.toHaveBeenCalled();
});

it("leaves failed prefetches to the browser in the same way, and keeps successful ones", async () => {
	const queries = makeQueryClient();
	let fail: (error: Error) => void = () => undefined;
	const failing = new Promise((_, reject) => {
		fail = reject;
	});
	void queries.prefetchQuery({ queryKey: ["fails"], queryFn: () => failing, retry: false });
	void queries.prefetchQuery({ queryKey: ["succeeds"], queryFn: async () => 7 });
	const errorLog = vi.spyOn(console, "error").mockImplementation(() => undefined);
	const { queries: sent } = failuresLeftToBrowser(dehydrate(queries));
	fail(new Error("the database is unavailable"));
	const [fails, succeeds] = await Promise.allSettled(sent.map((query) => query.promise));
	expect(fails).toMatchObject({ status: "rejected" });
	expect(isBailoutToCSRError((fails as PromiseRejectedResult).reason)).toBe(true);
	expect(succeeds).toMatchObject({ status: "fulfilled", value: 7 });
	// Logged by TanStack Query outside production.
	expect(errorLog).toHaveBeenCalledOnce();
});
