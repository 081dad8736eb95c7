import type { Metadata } from "next";
import { EmptyState } from "#components/page/states.tsx";

export const metadata: Metadata = { title: "Not found" };

/** An address that belongs to no screen. It stands outside of the console, as nobody may be signed in. */
export default function NotFound() {
	return (
		<main className="grid min-h-dvh place-items-center px-4">
			<div>
				<h1 className="text-center text-xl font-bold tracking-tight">Not found</h1>
				<EmptyState icon="question" title="There is nothing at this address" action={{ label: "Go to the Overview", href: "/" }}>
					The link may be old or mistyped.
				</EmptyState>
			</div>
		</main>
	);
}
