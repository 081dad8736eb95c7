"use client";
import NextLink from "next/link";
import { type ComponentProps, useRef, useState } from "react";
import { notePrefetch } from "#components/trpc/prefetched-screens.ts";

/** Shorter rests are a pointer on its way to something else. */
const REST_MS = 60;

type RestLinkProps = Omit<ComponentProps<typeof NextLink>, "href" | "prefetch"> & { href: string };

/** Opens a screen, and has it rendered ahead while the pointer or the focus rests on the link. `href`: a path. */
export function RestLink({ href, ...props }: RestLinkProps) {
	const [rested, setRested] = useState(false);
	const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
	const arrive = () => {
		clearTimeout(timer.current);
		timer.current = setTimeout(() => {
			notePrefetch(href);
			setRested(true);
		}, REST_MS);
	};
	const leave = () => {
		clearTimeout(timer.current);
		setRested(false);
	};
	return (
		<NextLink {...props} href={href} prefetch={rested} onPointerEnter={arrive} onPointerLeave={leave} onFocus={arrive} onBlur={leave} />
	);
}
