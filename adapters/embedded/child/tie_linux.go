package child

import "syscall"

func tie(a *syscall.SysProcAttr, atOurEnd syscall.Signal) { a.Pdeathsig = atOurEnd }
