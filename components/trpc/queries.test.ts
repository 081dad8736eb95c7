import { dehydrate, HydrationBoundary, hydrate, type QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createElement, Suspense } from "react";
import { renderToString } from "react-dom/server";
import { expect, it } from "vitest";
import { useSuspenseInfiniteQuery } from "./infinite-queries.ts";
import { failuresLeftToBrowser } from "./left-to-browser.ts";
import { useAwaitedQuery, useSuspenseQuery } from "./queries.ts";
import { makeQueryClient } from "./query-client.ts";

const KEY = ["spend"];
const PAGES = ["charges"];
const spent = { queryKey: KEY, queryFn: () => Promise.resolve(7) };
const pages = { queryKey: PAGES, queryFn: () => Promise.resolve([7]), initialPageParam: 0, getNextPageParam: () => null };

const Waits = () => createElement("b", null, useSuspenseQuery(spent).data);
const Awaited = () => createElement("u", null, useAwaitedQuery(spent).data);
const Charges = () => createElement("i", null, useSuspenseInfiniteQuery(pages).data.pages.flat().join());

/**
 * React's server rendering uses the same function as hydration (`getServerSnapshot`), and hydration discards differing
 * output.
 */
function drawn(client: QueryClient, ...parts: (() => React.ReactNode)[]): string {
	const panels = parts.map((part, i) => createElement(Suspense, { key: i }, createElement(part)));
	return renderToString(createElement(QueryClientProvider, { client }, panels));
}

/** The browser's client with the server's prefetched data. */
async function takenOver(): Promise<QueryClient> {
	const server = makeQueryClient();
	await Promise.all([server.prefetchQuery(spent), server.prefetchInfiniteQuery(pages)]);
	const client = makeQueryClient();
	const state = JSON.parse(JSON.stringify(dehydrate(server)));
	renderToString(createElement(QueryClientProvider, { client }, createElement(HydrationBoundary, { state })));
	return client;
}

it("hydrates with the server's data even if the query was refetched first", async () => {
	const client = await takenOver();
	const before = drawn(client, Waits, Charges, Awaited);
	expect(before).toContain("<b>7</b>");
	expect(before).toContain("<i>7</i>");
	expect(before).toContain("<u>7</u>");
	client.setQueryData(KEY, 8);
	client.setQueryData(PAGES, { pages: [[8], [9]], pageParams: [0, 1] });
	expect(drawn(client, Waits, Charges, Awaited)).toBe(before);
	expect(client.getQueryData(KEY)).toBe(8);
});

it("uses the first result", async () => {
	const client = makeQueryClient();
	await client.prefetchQuery(spent);
	client.setQueryData(KEY, 8);
	expect(drawn(client, Waits)).toContain("<b>7</b>");
});

it("fetches a query itself if its prefetch failed before any part asked for it", async () => {
	const browser = makeQueryClient();
	const server = makeQueryClient();
	void server.prefetchQuery({ queryKey: KEY, queryFn: () => Promise.reject(new Error("the database is unavailable")) });
	const sent = failuresLeftToBrowser(dehydrate(server));
	hydrate(browser, sent);
	expect(browser.getQueryState(KEY)?.fetchStatus).toBe("fetching");
	await expect(browser.getQueryCache().find({ queryKey: KEY })?.fetch()).rejects.toThrow("a failed prefetch");
	// A part that suspends would throw an error that it finds.
	expect(browser.getQueryState(KEY)).toBeUndefined();
	await expect(browser.fetchQuery(spent)).resolves.toBe(7);
});
