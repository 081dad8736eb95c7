/** Set when a person dismisses the demo's banner. */
export const DEMO_BANNER_COOKIE = "spillway_demo_banner";
