import type { Metadata } from "next";
import { EmptyState } from "#components/page/states.tsx";

export const metadata: Metadata = { title: "Not found" };

/** Unknown address. Rendered outside the console because the visitor may be signed out. */
export default function NotFound() {
	return (
		<main className="grid min-h-dvh place-items-center px-4">
			<div>
				<h1 className="text-center text-xl font-bold tracking-tight">Not found</h1>
				<EmptyState icon="question" title="Page not found" action={{ label: "Go to Overview", href: "/" }}>
					The link may be outdated or mistyped.
				</EmptyState>
			</div>
		</main>
	);
}
