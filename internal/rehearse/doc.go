// Package rehearse runs a user's network file on simulated nodes, in virtual time. A script says what goes wrong, what
// is asked, and what must come of it. Without a script, every single fault is tried: each node, each step, each way to
// fail.
//
//	script, err := rehearse.Load("faults.yaml", net)
//	report := rehearse.Play(net, script)    // or rehearse.Every(net)
//	report.Text(os.Stdout)
//
// The engine is the one of the daemon, so a rehearsal shows what the daemon would do. The nodes are scripted: each is a
// good node but for what the script says. Every life is also judged by the rules that always hold, such as that no node
// is armed without a command. One seed gives one result, so a rehearsal never fails by chance.
//
// It imports simnet, engine, network, machine, lifecycle and strict.
package rehearse
