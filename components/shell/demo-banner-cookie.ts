/** Set when a user dismisses the demo banner. */
export const DEMO_BANNER_COOKIE = "spillway_demo_banner";
